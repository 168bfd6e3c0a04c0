import { type IDataObject, NodeConnectionTypes } from 'n8n-workflow';

import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { publish } from './support/active';
import { jsonOf, locator, START, until, useStack } from './support/stack';

// Without it, older versions of n8n didn't offer community nodes to agents. Current ones don't read it.
const stack = useStack({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'false' } });

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const fromAi = (key: string, type = 'string') =>
	`={{ $fromAI('${key}', 'The ${key}', '${type}') }}`;
const INSTANCE = { instanceId: locator(fromAi('instanceId', 'number')) };
const UPDATE_FIELDS = { priority: fromAi('priority'), addTags: fromAi('tags') };

const TOOLS = Object.entries({
	'Look Up': { operation: 'get', ...INSTANCE },
	Change: { operation: 'update', ...INSTANCE, updateFields: UPDATE_FIELDS },
	Remove: { operation: 'bulkDelete', instanceIds: fromAi('ids') },
}).map(([name, parameters]) =>
	workflowNode(name, `${NODE_TYPE}Tool`, 1, { descriptionType: 'auto', ...parameters }),
);

/** What n8n's own MCP client reads from a server's tool. */
async function call(endpointUrl: string, tool: string, values: IDataObject): Promise<string> {
	const client = workflowNode('Client', `${LANGCHAIN}.mcpClient`, 1, {
		serverTransport: 'httpStreamable',
		endpointUrl,
		authentication: 'none',
		tool: locator(tool),
		inputMode: 'json',
		jsonInput: JSON.stringify(values),
		options: {},
	});
	const execution = await stack().run(newWorkflow('MCP client', [START, client]));
	expect(execution.data.resultData.error).toBeUndefined();
	return JSON.stringify(jsonOf(execution, 'Client').map(({ content }) => content));
}

test('the MCP Server Trigger offers all operations as tools, and says why a call was rejected', async () => {
	const parameters = { path: 'instances', authentication: 'none' };
	const trigger = workflowNode('Server', `${LANGCHAIN}.mcpTrigger`, 2, parameters);
	const type = NodeConnectionTypes.AiTool;
	const links = TOOLS.map(({ name: from }) => ({ from, to: 'Server', type }));
	const server = newWorkflow('MCP', [{ ...trigger, webhookId: 'instances' }, ...TOOLS], links);
	await publish(stack(), await stack().store(server));
	const endpoint = `${stack().n8n.url}/mcp/instances`;
	// n8n registers the path a moment after it responds.
	await until(async () => (await fetch(endpoint, { method: 'POST' })).status !== 404);
	const { control } = stack().sandbox;
	const { process, name, deadline, step_assignments, tags = [] } = control.instance(102) ?? {};
	const changes = { instanceId: 102, priority: 'V', tags: 'late, vip' };
	expect(await call(endpoint, 'Look_Up', { instanceId: 101 })).toContain('"stage"');
	expect(await call(endpoint, 'Change', changes)).toContain('"priority":"V"');
	expect(await call(endpoint, 'Remove', { ids: '107, 108' })).toContain('"id":108,"deleted":true');
	const missing = await call(endpoint, 'Look_Up', { instanceId: SEED.unknown });
	expect(missing).toContain('that the instance still exists');
	const kept = { process, name, deadline, step_assignments };
	const sent = control.log().map(({ method, body }) => [method, body && JSON.parse(body)]);
	expect(sent).toEqual([
		['GET', ''],
		['GET', ''],
		['PUT', { ...kept, priority: 'V', tags: [...tags, 'late', 'vip'] }],
		['POST', { ids: [107, 108] }],
		['GET', ''],
	]);
});
