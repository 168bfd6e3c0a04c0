import fc from 'fast-check';
import type { IDataObject, OnError } from 'n8n-workflow';

import { type FaultAction, type Instance, type RespondAction, SEED } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { CASES, settings } from './support/hostile';
import { OPERATIONS, parametersOf } from './support/operations';
import { respond, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(120_000, CASES * 200));

// Not the one that rejects any name.
const IDS = Array.from({ length: 9 }, (_, index) => 101 + index).filter(
	(id) => id !== SEED.autoNamed,
);

const MISSING = 999;
const ALL = [...IDS.slice(0, 3), MISSING, ...IDS.slice(3)];

/** Bodies of all kinds, about any instance, true or not. */
const body = fc.oneof(
	fc.constantFrom(
		...['', '{}', '[]', 'null', 'OK', '{"detail": "No."}', '{"success": false}', '{"id": 101, "na'],
		...['{"errors": ["Not these."]}', '{"failed": [{"id": 1}]}', '{"message": "Done."}'],
		...['{"id": 1, "error": "Busy."}', '<html><title>Sign in</title></html>'],
	),
	fc.integer({ min: 100, max: 110 }).map((id) => JSON.stringify({ id, stage: 'Review' })),
);
const responding = (statuses: number[]): fc.Arbitrary<RespondAction> =>
	fc
		.tuple(fc.constantFrom(...statuses), fc.constantFrom('0', '7'), body)
		.map(([status, seconds, text]) => respond(status, text, { 'retry-after': seconds }));

const SUCCESS = [200, 201, 204, 207];
const REFUSED = [301, 302, 400, 401, 403, 404, 409, 422, 429];
const OPEN_STATUSES = [303, 500, 502, 503, 504];

const RESET = { type: 'reset' } as const;
const then = fc.oneof(responding([...SUCCESS, ...OPEN_STATUSES]), fc.constant(RESET));
/** What a request meets. A refusal is true: nothing was done. The rest may be said before or after. */
const fault: fc.Arbitrary<FaultAction | undefined> = fc.oneof(
	{ arbitrary: fc.constantFrom(undefined, undefined, undefined, RESET), weight: 4 },
	{ arbitrary: responding([...SUCCESS, ...REFUSED, ...OPEN_STATUSES]), weight: 3 },
	{ arbitrary: then.map((action) => ({ type: 'applyThen' as const, then: action })), weight: 4 },
);
const cases = fc.record({
	faults: fc.array(fault, { minLength: 1, maxLength: 14 }),
	onError: fc.constantFrom<OnError[]>('continueRegularOutput', 'stopWorkflow'),
	batchSize: fc.integer({ min: 1, max: ALL.length }),
	unknownIds: fc.constantFrom('ignored', 'rejected', 'notFound'),
});

/** Whether a response says that something was done, which was not, or not for sure. */
function isLie(action: FaultAction | undefined, isRejected: boolean): boolean {
	if (action?.type === 'applyThen') return isRejected && isLie(action.then, true);
	return action?.type === 'respond' && action.status < 300;
}

/** What an output says of an ID: done, not done, or nothing certain. */
type Said = 'done' | 'not done' | 'open';

const OPEN = /may already have been|doesn't say what/;

function saidOfItem({ error, details }: IDataObject): Said {
	if (error === undefined) return 'done';
	return OPEN.test(String(asObject(details).description)) ? 'open' : 'not done';
}

/** What the details of an error list, by what they say. */
const LISTS: Array<[key: RegExp, said: Said]> = [
	[/^(updated|deleted)Ids$/, 'done'],
	[/^(rejected|notSent)Ids$/, 'not done'],
	[/^unknownIds$/, 'open'],
];

/** For each operation that changes something, how the service shows that it was done. */
const IS_DONE: Record<string, (instance: Instance | undefined) => boolean> = {
	update: (instance) => instance?.name === 'New',
	bulkDelete: (instance) => instance === undefined,
};

test('Each operation that changes something is tried', () => {
	expect(['get', ...Object.keys(IS_DONE)]).toEqual(OPERATIONS);
});

const sandbox = useSandbox();
useVirtualClock();

test.each(Object.entries(IS_DONE))(
	'Whatever the service responds, what the output of %s says of an ID is true',
	async (operation, isDone) => {
		const property = fc.asyncProperty(cases, async ({ faults, unknownIds, batchSize, onError }) => {
			sandbox.control.reset();
			sandbox.control.setUnknownIds(unknownIds);
			for (const [index, action] of faults.entries()) {
				if (action !== undefined) sandbox.control.addFault({ match: { nth: index + 1 }, action });
			}
			const { outputs, error } = await sandbox.run(
				{ ...parametersOf(operation), options: { batchSize } },
				ALL.map((id) => ({ id })),
				{ onError, retryOnFail: true, maxTries: 2 },
			);
			const said = new Map<number, Said>();
			for (const { json } of outputs[0] ?? []) said.set(Number(json.id), saidOfItem(json));
			for (const [key, value] of Object.entries(error?.context ?? {})) {
				const word = LISTS.find(([keys]) => keys.test(key))?.[1];
				if (word === undefined || !Array.isArray(value)) continue;
				for (const id of value) said.set(Number(id), word);
			}
			const isLying = faults.some((each) => isLie(each, unknownIds === 'rejected'));
			for (const [id, word] of said) {
				// A lie of the service cannot be told from the truth.
				if (id === MISSING || word === 'open' || (word === 'done' && isLying)) continue;
				expect([id, isDone(sandbox.control.instance(id))]).toEqual([id, word === 'done']);
			}
			if (error === undefined) expect([...said.keys()].sort()).toEqual([...IDS, MISSING]);
		});
		await fc.assert(property, settings(CASES / 8));
	},
);
