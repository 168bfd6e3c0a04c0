import { FIRST_LIMIT, HIGHEST_LIMIT } from '../../nodes/WorkflowInstanceService/api/adaptiveLimit';
import type { INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { bareDelete } from './bareClient';
import type { BenchStack } from './stack';
import {
	deleteFromExpression,
	deleteFromField,
	getParameters,
	httpGet,
	httpNode,
	httpPut,
	isRenamable,
	ourNode,
	updateParameters,
} from './workflows';

export type Other = 'HTTP Request' | 'Bare client';

/** This node beside something else that does the same. Both give the milliseconds that they took. */
export interface Comparison {
	name: string;
	other: Other;
	/** The most that this node may take, in times of the other. */
	limit: number;
	/** How often it is done in one round where once is too short to be exact. */
	repeats: number;
	measureOurs(stack: BenchStack): Promise<number>;
	measureOther(stack: BenchStack): Promise<number>;
	/** What a profile shows, for the page when the limit is not kept. */
	reason: string;
}

const ITEMS = 1_000;
const DELETED = 10_000;
const BATCH = 100;

const itemsOf = (ids: number[]) => ids.map((id) => ({ id }));

/** Runs a node over ids in n8n. */
type Prepare = (stack: BenchStack) => Promise<number[]>;

const inOurs = (prepare: Prepare, parameters: INodeParameters) => async (stack: BenchStack) => {
	const ids = await prepare(stack);
	return (await stack.run(itemsOf(ids), ourNode(parameters))).time;
};

const inHttpRequest =
	(prepare: Prepare, parameters: (baseUrl: string) => INodeParameters) =>
	async (stack: BenchStack) => {
		const ids = await prepare(stack);
		const node = httpNode(stack.httpVersion, parameters(stack.service.baseUrl));
		return (await stack.run(itemsOf(ids), node)).time;
	};

function get(limit: number, latencyMs: number, reason: string, id?: number): Comparison {
	const prepare: Prepare = async ({ service }) => await service.prepare(ITEMS, latencyMs);
	return {
		name: `Get, ${id === undefined ? 'ID from an expression' : 'one ID'}, ${latencyMs} ms`,
		other: 'HTTP Request',
		limit,
		repeats: 1,
		measureOurs: inOurs(prepare, getParameters(id)),
		measureOther: inHttpRequest(prepare, (baseUrl) => httpGet(baseUrl, id)),
		reason,
	};
}

const renamable: Prepare = async ({ service }) =>
	(await service.prepare(2 * ITEMS, 0)).filter(isRenamable).slice(0, ITEMS);

function update(name: string, limit: number, unsetFields: 'keep' | 'reset'): Comparison {
	return {
		name,
		other: 'HTTP Request',
		limit,
		repeats: 1,
		measureOurs: inOurs(renamable, updateParameters(unsetFields)),
		measureOther: inHttpRequest(renamable, httpPut),
		reason: "Two fifths of its time are n8n's evaluations, a quarter n8n's request helper.",
	};
}

const manyIds: Prepare = async ({ service }) => await service.prepare(DELETED, 0);

const bulkDelete = {
	other: 'Bare client',
	repeats: 5,
	measureOther: async (stack: BenchStack) =>
		await bareDelete(stack.service, await manyIds(stack), BATCH),
} as const;

const EVALUATION =
	"Half of its time are n8n's evaluations of the expression, a third n8n's request helper.";

/** All comparisons, with their limits. */
export const COMPARISONS: Comparison[] = [
	get(0.35, 0, EVALUATION),
	get(0.2, 0, "More than half of its time is n8n's request helper.", SEED.running),
	get(0.5, 20, EVALUATION),
	get(
		0.9,
		200,
		`It waits for 2.6 seconds while the requests in flight go from ${FIRST_LIMIT} up to ${HIGHEST_LIMIT}.`,
	),
	update('Update, Reset, 0 ms', 0.4, 'reset'),
	update('Update, Keep (a read and a PUT, beside one PUT), 0 ms', 0.7, 'keep'),
	{
		...bulkDelete,
		name: 'Bulk Delete, IDs from a field of 10,000 items',
		limit: 8,
		reason: "A quarter of its time is this node's own code; most of the rest are the 100 requests.",
		measureOurs: inOurs(manyIds, deleteFromField),
	},
	{
		...bulkDelete,
		name: 'Bulk Delete, 10,000 IDs from one expression',
		limit: 4,
		reason: 'A third of its time is one evaluation, which carries 10,000 numbers into the node.',
		async measureOurs(stack) {
			const ids = await manyIds(stack);
			return (await stack.run([{ ids }], ourNode(deleteFromExpression), DELETED)).time;
		},
	},
];
