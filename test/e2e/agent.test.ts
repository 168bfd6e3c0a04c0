import type { IDataObject } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { publish } from './support/active';
import { mcpClientWorkflow, mcpServerWorkflow } from './support/agentWorkflows';
import { jsonOf, until, useStack } from './support/stack';

// Older versions of n8n kept community nodes from agents without it; those of today do not read it.
const stack = useStack({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'false' } });

test('the MCP Server Trigger offers all operations as tools, and says why a call was rejected', async () => {
	const { rest, url } = stack().n8n;
	const { control } = stack().sandbox;
	const endpoint = `${url}/mcp/instances`;
	await publish(stack(), await stack().store(mcpServerWorkflow('instances')));
	// n8n registers the path a moment after it has responded.
	await until(async () => (await fetch(endpoint, { method: 'POST' })).status !== 404);
	/** What n8n's own MCP client gets to read from the tool. */
	const call = async (tool: string, values: IDataObject): Promise<string> => {
		const client = mcpClientWorkflow(endpoint, tool, values);
		const execution = await rest.runWorkflow(await rest.createWorkflow(client));
		expect(execution.data.resultData.error).toBeUndefined();
		return JSON.stringify(jsonOf(execution, 'Client').map(({ content }) => content));
	};
	const instanceId = SEED.fullyFilled;
	const {
		process,
		name,
		deadline,
		tags = [],
		step_assignments,
	} = control.instance(instanceId) ?? {};
	const changes = { instanceId, priority: 'V', tags: 'late, vip' };
	expect(await call('Look_Up', { instanceId: SEED.running })).toContain('"stage"');
	expect(await call('Change', changes)).toContain('"priority":"V"');
	expect(await call('Remove', { ids: '107, 108' })).toContain('{"id":108,"deleted":true}');
	const missing = await call('Look_Up', { instanceId: SEED.unknown });
	expect(missing).toContain('that the instance still exists');
	const body = {
		process,
		name,
		deadline,
		step_assignments,
		priority: 'V',
		tags: [...tags, 'late', 'vip'],
	};
	expect(
		control
			.log()
			.map(({ method, url: path, body: sent }) => [method, path, sent && JSON.parse(sent)]),
	).toEqual([
		['GET', `/api/instances/${SEED.running}/`, ''],
		['GET', `/api/instances/${instanceId}/`, ''],
		['PUT', `/api/instances/${instanceId}/`, body],
		['POST', '/api/instances/bulk/delete', { ids: [107, 108] }],
		['GET', `/api/instances/${SEED.unknown}/`, ''],
	]);
});
