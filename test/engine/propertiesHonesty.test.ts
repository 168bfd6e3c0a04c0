import fc from 'fast-check';
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import type { FaultAction, RespondAction } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { CASES, settings } from './support/hostile';
import { DELETE_BY_FIELD, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(120_000, CASES * 200));

const IDS = Array.from({ length: 8 }, (_, index) => 101 + index);
const TAG = 'touched';

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

/** Whether the service says of something that it was done, which was not. */
const isLie = (action: FaultAction | undefined) =>
	action?.type === 'respond' && action.status < 300;

/** What an output says of an id: done, not done, or nothing certain. */
type Said = 'done' | 'not done' | 'open';

const OPEN = /may already have been|doesn't say what/;

describe('Whatever the service responds, what the output says of an ID is true', () => {
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
	const saidOfItem = (json: IDataObject): Said => {
		if (json.deleted === true) return 'done';
		return OPEN.test(String(asObject(json.details).description)) ? 'open' : 'not done';
	};
	const listOf = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : []);

	test('after Bulk Delete', async () => {
		const batchSize = fc.integer({ min: 1, max: IDS.length });
		const cases = fc.record({ faults: history, onError: mode, batchSize });
		const property = fc.asyncProperty(cases, async ({ faults, onError, batchSize }) => {
			meet(faults);
			const options = { batchSize };
			const { outputs, error } = await run(onError, { ...DELETE_BY_FIELD, options }, IDS);
			const said = new Map<number, Said>();
			for (const { json } of outputs[0] ?? []) {
				if (json.id !== undefined) said.set(Number(json.id), saidOfItem(json));
			}
			const { deletedIds, rejectedIds, notSentIds } = error?.context ?? {};
			for (const id of listOf(deletedIds)) said.set(id, 'done');
			for (const id of [rejectedIds, notSentIds].flatMap(listOf)) said.set(id, 'not done');
			for (const [id, word] of said) {
				const isThere = sandbox.left([id]).length > 0;
				if (word === 'not done') expect([id, isThere]).toEqual([id, true]);
				// A lie of the service cannot be told from the truth.
				if (word === 'done' && !faults.some(isLie)) expect([id, isThere]).toEqual([id, false]);
			}
			if (onError === 'continueRegularOutput') expect(outputs[0]).toHaveLength(IDS.length);
		});
		await fc.assert(property, settings(CASES / 8));
	});

	test('after Update, which undoes no change that somebody else made more than two seconds earlier', async () => {
		const ids = [101, 102, 104, 105];
		const update = {
			operation: 'update',
			instanceId: ID_OF_ITEM,
			updateFields: { addTags: TAG },
		};
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
			const items = (await run(onError, update, ids)).outputs[0] ?? [];
			await Promise.all(entering);
			for (const [changed, { name, time }] of entered) {
				const requests = sandbox.log().filter(({ url }) => url.endsWith(`/${changed}/`));
				const isOverwritten = requests.some(
					({ method, receivedAt }) =>
						method === 'PUT' && receivedAt >= time && receivedAt <= time + 2_000,
				);
				// An update reads once more, and only once, so that it ends under any rate limit.
				const reads = requests.filter(
					({ method, receivedAt }) => method === 'GET' && receivedAt < time,
				);
				if (reads.length > 1) continue;
				if (!isOverwritten) expect(sandbox.control.instance(changed)?.name).toBe(name);
			}
			for (const [index, { json }] of items.entries()) {
				const id = ids[index] ?? 0;
				const isTouched = sandbox.control.instance(id)?.tags.includes(TAG);
				if (json.error === undefined) {
					expect(json.id).toBe(id);
					if (!faults.some(isLie)) expect([id, isTouched]).toEqual([id, true]);
				} else if (saidOfItem(json) === 'not done') expect([id, isTouched]).toEqual([id, false]);
			}
			if (onError === 'continueRegularOutput') expect(items).toHaveLength(ids.length);
		});
		await fc.assert(property, settings(CASES / 8));
	});
});
