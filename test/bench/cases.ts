import type { INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { planOf } from '../../sandbox/service/seedPlan';
import { bareDelete, bareGet, barePut } from './bareClient';
import type { BenchStack, Measurement } from './stack';
import {
	deleteFromExpression,
	deleteFromField,
	getParameters,
	httpDelete,
	httpGet,
	httpKeep,
	httpNode,
	httpReset,
	ourNode,
	updateParameters,
} from './workflows';

/** One thing that is measured; rows of a group are compared with each other. */
export interface Case {
	/** e.g. `Get, id from an expression, 20 ms`. */
	group: string;
	client: string;
	/** What a time is multiplied with, when fewer items were run than the group is about. */
	scale?: number;
	/** How often it is done in one round where once is too short to be exact; the median counts. */
	repeats?: number;
	/** Whether its peak of memory is measured as well, in a new n8n. */
	inMemoryTable?: boolean;
	measure(stack: BenchStack): Promise<Measurement>;
}

export const CLIENTS = {
	node: 'this node',
	wide: 'this node, 100 at a time',
	predefined: 'HTTP Request, predefined credential',
	generic: 'HTTP Request, header credential',
	bare: 'bare client, 10 at a time',
	bareBatches: 'bare client, the same 100 requests',
	expression: 'this node, ids from one expression',
	list: 'this node, ids from a list in one item',
	oneByOne: 'HTTP Request, one by one',
} as const;

const ITEMS = 1_000;
const DELETED = 10_000;
const BATCH = 100;
const BOUND = 10;
const CONSTANT = SEED.running;

const itemsOf = (ids: number[]) => ids.map((id) => ({ id }));

/** Instances that may be given a name: those of one process are named by the process itself. */
const renamable = (ids: number[]) =>
	ids
		.filter((id) => planOf(id, 'running').processId !== SEED.processes.purchaseRequest)
		.slice(0, ITEMS);

/** From here on, waiting for the service takes longer than n8n's own work. */
const SLOW_MS = 100;

const alone = async (time: Promise<number>): Promise<Measurement> => ({
	time: await time,
	cpu: undefined,
	memory: undefined,
});

function getCases(latencyMs: number, constant: boolean): Case[] {
	const group = `Get, id ${constant ? 'constant' : 'from an expression'}, ${latencyMs} ms`;
	const id = constant ? CONSTANT : undefined;
	const isSlow = latencyMs >= SLOW_MS;
	const ours = (bound?: number) => async (stack: BenchStack) => {
		const ids = await stack.service.prepare(ITEMS, latencyMs);
		const node = ourNode(getParameters(id, bound), stack.predefined);
		return await stack.run(itemsOf(ids), [node], ITEMS);
	};
	const http = (type: 'predefined' | 'generic') => async (stack: BenchStack) => {
		const ids = await stack.service.prepare(ITEMS, latencyMs);
		const parameters = httpGet(stack.service.baseUrl, id);
		const node = httpNode(stack.httpVersion, parameters, stack[type]);
		return await stack.run(itemsOf(ids), [node], ITEMS);
	};
	const bare = async ({ service }: BenchStack) => {
		const ids = await service.prepare(ITEMS, latencyMs);
		return await alone(bareGet(service, ids, BOUND));
	};
	const inMemoryTable = !constant && latencyMs === 0;
	// What only waits for the service at the same bound takes the same time with a constant id.
	const isRepeated = isSlow && constant;
	return [
		...(isRepeated ? [] : [{ group, client: CLIENTS.node, measure: ours(), inMemoryTable }]),
		...(isSlow ? [{ group, client: CLIENTS.wide, measure: ours(100) }] : []),
		{ group, client: CLIENTS.predefined, measure: http('predefined'), inMemoryTable },
		...(constant && latencyMs > 0
			? []
			: [{ group, client: CLIENTS.generic, measure: http('generic') }]),
		...(constant ? [] : [{ group, client: CLIENTS.bare, repeats: isSlow ? 1 : 5, measure: bare }]),
	];
}

function updateCases(unsetFields: 'keep' | 'reset'): Case[] {
	const group = `Update, ${unsetFields === 'keep' ? 'Keep' : 'Reset'}, 0 ms`;
	const http = ({ service: { baseUrl }, httpVersion, predefined }: BenchStack) => {
		const node = (parameters: INodeParameters) => httpNode(httpVersion, parameters, predefined);
		return unsetFields === 'reset'
			? [node(httpReset(baseUrl))]
			: [node(httpGet(baseUrl)), node(httpKeep(baseUrl))];
	};
	const cases: Case[] = [
		{
			group,
			client: CLIENTS.node,
			async measure(stack) {
				const ids = renamable(await stack.service.prepare(2 * ITEMS, 0));
				const node = ourNode(updateParameters(unsetFields), stack.predefined);
				return await stack.run(itemsOf(ids), [node], ITEMS);
			},
		},
		{
			group,
			client: CLIENTS.predefined,
			async measure(stack) {
				const ids = renamable(await stack.service.prepare(2 * ITEMS, 0));
				return await stack.run(itemsOf(ids), http(stack), ITEMS);
			},
		},
	];
	if (unsetFields === 'keep') return cases;
	return [
		...cases,
		{
			group,
			client: CLIENTS.bare,
			repeats: 5,
			async measure({ service }) {
				const ids = renamable(await service.prepare(2 * ITEMS, 0));
				const process = `${service.baseUrl}/processes/${SEED.processes.onboarding}/`;
				const body = (id: number) => ({ process, name: `Renamed ${id}` });
				return await alone(barePut(service, ids, BOUND, body));
			},
		},
	];
}

const DELETE_GROUP = 'Bulk Delete of 10,000, 0 ms';

const deleteCases: Case[] = [
	{
		group: DELETE_GROUP,
		client: CLIENTS.node,
		repeats: 3,
		inMemoryTable: true,
		async measure(stack) {
			const ids = await stack.service.prepare(DELETED, 0);
			const node = ourNode(deleteFromField('id'), stack.predefined);
			return await stack.run(itemsOf(ids), [node], DELETED);
		},
	},
	{
		group: DELETE_GROUP,
		client: CLIENTS.expression,
		repeats: 5,
		async measure(stack) {
			const ids = await stack.service.prepare(DELETED, 0);
			const node = ourNode(deleteFromExpression, stack.predefined);
			return await stack.run([{ ids }], [node], DELETED);
		},
	},
	{
		group: DELETE_GROUP,
		client: CLIENTS.list,
		repeats: 5,
		async measure(stack) {
			const ids = await stack.service.prepare(DELETED, 0);
			const node = ourNode(deleteFromField('ids'), stack.predefined);
			return await stack.run([{ ids }], [node], DELETED);
		},
	},
	{
		group: DELETE_GROUP,
		client: CLIENTS.oneByOne,
		scale: DELETED / ITEMS,
		repeats: 3,
		inMemoryTable: true,
		async measure(stack) {
			const ids = await stack.service.prepare(ITEMS, 0);
			const parameters = httpDelete(stack.service.baseUrl);
			const node = httpNode(stack.httpVersion, parameters, stack.predefined);
			return await stack.run(itemsOf(ids), [node], ITEMS);
		},
	},
	{
		group: DELETE_GROUP,
		client: CLIENTS.bareBatches,
		repeats: 9,
		async measure({ service }) {
			const ids = await service.prepare(DELETED, 0);
			return await alone(bareDelete(service, ids, BATCH));
		},
	},
];

/** All that is measured, at the given latencies of the service in milliseconds. */
export function allCases(latencies: number[]): Case[] {
	return [
		...latencies.flatMap((latency) => [...getCases(latency, false), ...getCases(latency, true)]),
		...updateCases('keep'),
		...updateCases('reset'),
		...deleteCases,
	];
}
