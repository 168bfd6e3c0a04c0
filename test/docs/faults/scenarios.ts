import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type FaultMatch, type Instance, SEED } from '../../../sandbox/service';

/** What is done when the condition strikes. Each has three input items. */
export interface Scenario {
	title: string;
	/** Which requests are hit. */
	hit: string;
	parameters: INodeParameters;
	/** The instances that each input item is about. */
	ids: readonly [number[], number[], number[]];
	/** The fields of an input item beside its number. */
	input(ids: number[]): IDataObject;
	/** Which requests of the item in the middle are hit. */
	match: FaultMatch;
	/** Whether the service has done what an item asks for. */
	isDone(instance: Instance | undefined): boolean;
	/** Whether the answers that are hit have a body. */
	hasBody: boolean;
}

const TAG = 'checked';
const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const PROCESS = { __rl: true, mode: 'url', value: '={{ $json.process }}' };
// One after another, so that it shows what Stop keeps back.
const OPTIONS = { maxConcurrentRequests: 1 };
const UPDATE: INodeParameters = {
	operation: 'update',
	instanceId: ID,
	updateFields: { tags: TAG },
	options: OPTIONS,
};

const single: Pick<Scenario, 'hasBody' | 'ids' | 'input' | 'isDone'> = {
	ids: [[SEED.running], [SEED.fullyFilled], [SEED.overdue]],
	input: ([id = 0]) => ({
		id,
		process: `https://service.example/api/processes/${SEED.processes.onboarding}/`,
	}),
	isDone: (instance) => instance?.tags.includes(TAG) === true,
	hasBody: true,
};

export const SCENARIOS: Scenario[] = [
	{
		...single,
		title: 'Get',
		hit: 'the request of item 1',
		parameters: { operation: 'get', instanceId: ID, options: OPTIONS },
		match: { method: 'GET', ids: [SEED.fullyFilled] },
	},
	{
		...single,
		title: 'Update with Keep: the read',
		hit: 'the read of item 1, which comes before the write',
		parameters: UPDATE,
		match: { method: 'GET', ids: [SEED.fullyFilled] },
	},
	{
		...single,
		title: 'Update with Keep: the write',
		hit: 'the write of item 1, which follows the read',
		parameters: UPDATE,
		match: { method: 'PUT', ids: [SEED.fullyFilled] },
	},
	{
		...single,
		title: 'Update with Reset',
		hit: 'the request of item 1',
		parameters: {
			...UPDATE,
			updateFields: { tags: TAG, process: PROCESS },
			options: { ...OPTIONS, unsetFields: 'reset' },
		},
		match: { method: 'PUT', ids: [SEED.fullyFilled] },
	},
	{
		title: 'Bulk Delete, three batches of two',
		hit: 'the second batch, which contains the IDs of item 1',
		parameters: {
			operation: 'bulkDelete',
			idSource: 'inputField',
			idField: 'ids',
			options: { batchSize: 2 },
		},
		ids: [
			[101, 102],
			[103, 104],
			[105, 106],
		],
		input: (ids) => ({ ids }),
		match: { method: 'POST', ids: [103] },
		isDone: (instance) => instance === undefined,
		hasBody: false,
	},
];
