import fc from 'fast-check';
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

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
	fc.constant(''),
	fc.constantFrom(
		...['{}', '[]', 'null', 'OK', '{"detail": "No."}', '{"success": false}', '{"id": 101, "na'],
		...['{"errors": ["Not these."]}', '{"failed": [{"id": 1}]}', '{"message": "Done."}'],
		...['{"id": 1, "error": "Busy."}', '<html><title>Sign in</title></html>'],
	),
	fc.integer({ min: 100, max: 110 }).map((id) => JSON.stringify({ id, stage: 'Review' })),
);
const wait = fc.constantFrom('0', '7');
const responding = (statuses: number[]): fc.Arbitrary<RespondAction> =>
	fc
		.tuple(fc.constantFrom(...statuses), wait, body)
		.map(([status, seconds, text]) => respond(status, text, { 'retry-after': seconds }));

const SUCCESS = [200, 201, 204, 207];
const REFUSED = [301, 302, 400, 401, 403, 404, 409, 422, 429];
const OPEN_STATUSES = [303, 500, 502, 503, 504];

const RESET = { type: 'reset' } as const;
const then = fc.oneof(responding([...SUCCESS, ...OPEN_STATUSES]), fc.constant(RESET));
/** What a request meets. A refusal is true: nothing was done. The rest may be said before or after. */
const fault: fc.Arbitrary<FaultAction | undefined> = fc.oneof(
	{ arbitrary: fc.constant(undefined), weight: 3 },
	{ arbitrary: responding([...SUCCESS, ...REFUSED, ...OPEN_STATUSES]), weight: 3 },
	{ arbitrary: fc.constant(RESET), weight: 1 },
	{ arbitrary: then.map((action) => ({ type: 'applyThen' as const, then: action })), weight: 4 },
);
const history = fc.array(fault, { minLength: 1, maxLength: 14 });

/** Whether a response says that something was done, which was not, or not for sure. */
const isLie = (action: FaultAction | undefined, isRejected: boolean): boolean => {
	if (action?.type === 'applyThen') return isRejected && isLie(action.then, true);
	return action?.type === 'respond' && action.status < 300;
};

/** What an output says of an ID: done, not done, or nothing certain. */
type Said = 'done' | 'not done' | 'open';

const OPEN = /may already have been|doesn't say what/;

function saidOfItem({ error, details }: IDataObject): Said {
	if (error === undefined) return 'done';
	return OPEN.test(String(asObject(details).description)) ? 'open' : 'not done';
}

/** For each operation that changes something, how the service shows that it was done. */
const IS_DONE: Record<string, (instance: Instance | undefined) => boolean> = {
	update: (instance) => instance?.name === 'New',
	bulkDelete: (instance) => instance === undefined,
};

/** What the details of an error list, by what they say. */
const LISTS: Array<[key: RegExp, said: Said]> = [
	[/^(updated|deleted)Ids$/, 'done'],
	[/^(rejected|notSent)Ids$/, 'not done'],
	[/^unknownIds$/, 'open'],
];

test('Each operation that changes something is tried', () => {
	expect(['get', ...Object.keys(IS_DONE)]).toEqual(OPERATIONS);
});

describe('Whatever the service responds,', () => {
	const sandbox = useSandbox();
	const clock = useVirtualClock();
	const mode = fc.constantFrom('continueRegularOutput', 'stopWorkflow');
	const run = async (onError: OnError, parameters: INodeParameters, ids: number[]) => {
		const items = ids.map((id) => ({ id }));
		return await sandbox.run(parameters, items, { onError, retryOnFail: true, maxTries: 2 });
	};

	const meet = (faults: Array<FaultAction | undefined>) => {
		sandbox.control.reset();
		for (const [index, action] of faults.entries()) {
			if (action !== undefined) sandbox.control.addFault({ match: { nth: index + 1 }, action });
		}
	};
	const listOf = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : []);

	test.each(Object.entries(IS_DONE))(
		'what the output of %s says of an ID is true',
		async (operation, isDone) => {
			const batchSize = fc.integer({ min: 1, max: ALL.length });
			const unknownIds = fc.constantFrom('ignored', 'rejected', 'notFound');
			const cases = fc.record({ faults: history, onError: mode, batchSize, unknownIds });
			const property = fc.asyncProperty(cases, async ({ faults, onError, ...own }) => {
				meet(faults);
				sandbox.control.setUnknownIds(own.unknownIds);
				const options = { batchSize: own.batchSize };
				const { outputs, error } = await run(onError, { ...parametersOf(operation), options }, ALL);
				const isLying = faults.some((each) => isLie(each, own.unknownIds === 'rejected'));
				const said = new Map<number, Said>();
				for (const { json } of outputs[0] ?? []) said.set(Number(json.id), saidOfItem(json));
				for (const [key, value] of Object.entries(error?.context ?? {})) {
					const word = LISTS.find(([keys]) => keys.test(key))?.[1];
					if (word !== undefined) for (const id of listOf(value)) said.set(id, word);
				}
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

	test('Update undoes no change that somebody else made more than two seconds earlier', async () => {
		const ids = IDS.slice(0, 4);
		const update = { ...parametersOf('update'), updateFields: { addTags: 'a' } };
		const [at, id] = [fc.nat(9_000), fc.constantFrom(...ids)];
		const people = fc.array(fc.record({ at, id, name: fc.string() }), { maxLength: 9 });
		const property = fc.asyncProperty(history, mode, people, async (faults, onError, changes) => {
			meet(faults);
			const entered = new Map<number, { name: string; time: number }>();
			const entering = changes.map(async ({ at: wait, id: changed, name }) => {
				await clock().sleep(wait);
				entered.set(changed, { name, time: clock().now() });
				sandbox.control.change(changed, { name });
			});
			await run(onError, update, ids);
			await Promise.all(entering);
			for (const [changed, { name, time }] of entered) {
				const isOverwritten = sandbox
					.log()
					.filter(({ method, url }) => method === 'PUT' && url.endsWith(`/${changed}/`))
					.some(({ receivedAt }) => receivedAt >= time && receivedAt <= time + 2_000);
				if (!isOverwritten) expect(sandbox.control.instance(changed)?.name).toBe(name);
			}
		});
		await fc.assert(property, settings(CASES / 8));
	});
});
