import type { IDataObject } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { publish } from './support/active';
import { type ToolCall, useModel } from './support/agentModel';
import { agentWorkflow, mcpClientWorkflow, mcpServerWorkflow } from './support/agentWorkflows';
import { jsonOf, until, useStack } from './support/stack';

// Older versions of n8n kept community nodes from agents without it; those of today do not read it.
const stack = useStack({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'false' } });
const model = useModel(stack);
const FULL = SEED.fullyFilled;

/** The requests that the service received, each with its body. */
const received = (): Array<[request: string, body?: IDataObject]> =>
	stack()
		.sandbox.control.log()
		.map(({ method, url, body }) => [`${method} ${url}`, body ? JSON.parse(body) : undefined]);

const lookUp = (instanceId: number): ToolCall => ({ tool: 'Look_Up', arguments: { instanceId } });
const remove = (ids: string): ToolCall => ({ tool: 'Remove', arguments: { ids } });
const change: ToolCall = {
	tool: 'Change',
	arguments: { instanceId: FULL, priority: 'V', tags: 'late, vip' },
};

/** The requests of a look-up, `change` and a deletion. */
function wantedRequests(): unknown[] {
	const stored = stack().sandbox.control.instance(FULL);
	const { process, name, deadline, tags = [], step_assignments } = stored ?? {};
	const kept = { process, name, deadline, step_assignments };
	return [
		[`GET /api/instances/${SEED.running}/`, undefined],
		[`GET /api/instances/${FULL}/`, undefined],
		[`PUT /api/instances/${FULL}/`, { ...kept, priority: 'V', tags: [...tags, 'late', 'vip'] }],
		['POST /api/instances/bulk/delete', { ids: [107, 108] }],
	];
}

/** The call with what no tool asks for. */
const withMore = ({ tool, arguments: values }: ToolCall): ToolCall => ({
	tool,
	arguments: { ...values, operation: 'bulkDelete', instanceIds: '101', clearFields: ['tags'] },
});

test.each([3.1, 2.2])(
	'the AI Agent %s can set only what its tools ask for, and learns why a call was rejected',
	async (version) => {
		const wanted = [...wantedRequests(), [`GET /api/instances/${SEED.unknown}/`, undefined]];
		model.play(
			[
				[SEED.running, SEED.unknown, 1.5].map(lookUp).map(withMore),
				[withMore(change)],
				['107, 108', 'all'].map(remove),
			],
			'All done.',
		);
		const id = await model.store(agentWorkflow(version));
		const execution = await stack().n8n.rest.runWorkflow(id);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(jsonOf(execution, 'Agent')[0]?.output).toBe('All done.');
		expect(received().sort()).toEqual(wanted.sort());
		expect(model.responses()).toEqual([
			expect.stringContaining(`"id":${SEED.running},`),
			expect.stringMatching(
				`did not find instance ${SEED.unknown}.*that the instance still exists`,
			),
			expect.stringMatching("1.5 in 'Instance' is not the ID.*Enter a whole number above zero"),
			expect.stringContaining('"priority":"V"'),
			JSON.stringify([107, 108].map((deleted) => ({ id: deleted, deleted: true }))),
			expect.stringContaining("'Instance IDs'"),
		]);
		const of = 'in Workflow Instance Service';
		expect(model.offered()).toMatchObject([
			{ description: `Update an instance ${of}`, all: ['instanceId', 'priority', 'tags'] },
			{ description: `Get an instance ${of}`, all: ['instanceId'] },
			{ description: `Delete instances permanently ${of}`, all: ['ids'] },
		]);
	},
);

test('the MCP Server Trigger offers all operations as tools, and says why a call was rejected', async () => {
	const { rest, url } = stack().n8n;
	const endpoint = `${url}/mcp/instances`;
	await publish(stack(), await stack().store(mcpServerWorkflow('instances')));
	// n8n registers the path a moment after it has responded.
	await until(async () => (await fetch(endpoint, { method: 'POST' })).status !== 404);
	/** What n8n's own MCP client gets to read from the tool. */
	const call = async ({ tool, arguments: values }: ToolCall): Promise<string> => {
		const client = mcpClientWorkflow(endpoint, tool, values);
		const execution = await rest.runWorkflow(await rest.createWorkflow(client));
		expect(execution.data.resultData.error).toBeUndefined();
		return JSON.stringify(jsonOf(execution, 'Client').map(({ content }) => content));
	};
	const wanted = wantedRequests();
	expect(await call(lookUp(SEED.running))).toContain('"stage"');
	expect(await call(change)).toContain('"priority":"V"');
	expect(await call(remove('107, 108'))).toContain('{"id":108,"deleted":true}');
	expect(received()).toEqual(wanted);
	expect(await call(lookUp(SEED.unknown))).toContain('that the instance still exists');
});
