import fc from 'fast-check';

import { CLEARABLE } from '../../../nodes/WorkflowInstanceService/instance/update/changes';
import { settings } from '../../engine/support/hostile';
import { locator } from '../../engine/support/sandbox';
import { useVirtualClock } from '../../harness';
import { inputsOf, useServer, type ValueOf } from '../service';
import * as outcomes from './outcomes';

/** A status (0 for a lost connection), what is next to the instance, and what that means for the change. */
type Response = [status: number, content: object | 'no instance' | 'nothing', outcomes.Verdict];

const HEALTHY: Response = [200, {}, 'done'];
const RESPONSES: Response[] = [
	HEALTHY,
	[200, { status: 'failed', state: 'error', code: 500 }, 'done'],
	[200, 'nothing', 'done'],
	[200, { id: 7 }, 'unknown'],
	[200, { success: false }, 'unknown'],
	[200, 'no instance', 'unknown'],
	[207, {}, 'unknown'],
	...[0, 500, 503].map((status): Response => [status, 'no instance', 'unknown']),
	...[400, 401, 403, 404, 409, 422].map((status): Response => [status, 'no instance', 'rejected']),
	[429, 'no instance', 'notSent'],
];

const anyHistory = fc.record({
	/** Each item changes an instance, and gets these responses; after that, the service works. */
	items: fc.array(
		fc.record({
			id: fc.integer({ min: 1, max: 4 }),
			responses: fc.array(fc.constantFrom(...RESPONSES), { maxLength: 3 }),
		}),
		{ minLength: 1, maxLength: 5 },
	),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	maxTries: fc.constantFrom(1, 1, 2, 3),
});

useVirtualClock();
const start = useServer();

/** Runs a history. Returns what the node reported, and what the service said about each item in all tries. */
async function play({ items, onError, maxTries }: ValueOf<typeof anyHistory>) {
	const said = items.map((): outcomes.Verdict[] => []);
	const credentials = start(({ method, id, sent }) => {
		const instance = { id, process: 'https://service.example/api/processes/3/', name: 'A' };
		// Only read after an update that may have failed, to see which keys are the instance's own.
		if (method === 'GET') return [200, JSON.stringify(instance)];
		// The name that an item sets is its number.
		const at = Number(JSON.parse(sent).name);
		const response = items[at]?.responses[said[at]?.length ?? 0] ?? HEALTHY;
		const [status, content, meaning] = response;
		said[at]?.push(meaning);
		if (content === 'nothing') return [status, ''];
		const body = typeof content === 'object' ? { ...instance, ...content } : { detail: 'No' };
		return [status, JSON.stringify(body)];
	});
	const result = await outcomes.run(maxTries, {
		parameters: {
			operation: 'update',
			instanceId: locator('={{ $json.id }}'),
			updateFields: { process: locator('3'), name: '={{ $json.name }}' },
			// All other fields, so that nothing has to be read.
			clearFields: CLEARABLE.map(({ form }) => form.name).filter((name) => name !== 'name'),
		},
		items: items.map(({ id }, at) => ({ id, name: String(at) })),
		credentials,
		onError,
	});
	return { ...result, items, onError, maxTries, said };
}
type Outcome = Awaited<ReturnType<typeof play>>;

/** The error that ends a run reports the outcome of each instance, over all its items. */
function checkError({ items, said, error }: Outcome) {
	const text = `${error?.message} ${error?.description}`;
	const lists = outcomes.listsOf(error?.context ?? {});
	const listed = (verdict: outcomes.Verdict) =>
		lists.flatMap(([id, one]) => (one === verdict ? [id] : []));
	const having = (verdict: outcomes.Verdict) =>
		new Set(items.flatMap(({ id }, at) => (said[at]?.includes(verdict) ? [id] : [])));
	const all = new Set(items.map(({ id }) => id));
	const [done, unknown] = [having('done'), having('unknown')];
	if (all.size === 1 && done.size === 0) {
		const [verdict] = outcomes.verdictsIn(text);
		return expect([text, verdict === 'unknown']).toEqual([text, unknown.size > 0]);
	}
	expect([text, ...outcomes.sorted(listed('done'))]).toEqual([text, ...outcomes.sorted(done)]);
	expect(new Set(lists.map(([id]) => id))).toEqual(all);
	expect([text, outcomes.sorted(outcomes.listsIn(text))]).toEqual([text, outcomes.sorted(lists)]);
	// Unknown outcomes are reported as such, unless another item changed the instance.
	expect([...unknown]).toEqual(expect.arrayContaining(listed('unknown')));
	expect([...listed('unknown'), ...done]).toEqual(expect.arrayContaining([...unknown]));
	expect([...having('rejected')]).toEqual(expect.arrayContaining(listed('rejected')));
}

async function check(history: ValueOf<typeof anyHistory>) {
	const outcome = await play(history);
	const { onError, maxTries, said, outputs, error } = outcome;
	if (onError === 'stopWorkflow' && error !== undefined) return checkError(outcome);
	expect(error).toBeUndefined();
	// Each item is output once, with its outcome.
	expect(outcomes.sorted(outputs.flat().flatMap(inputsOf))).toEqual([...said.keys()]);
	for (const item of outputs.flat()) {
		const responded = said[inputsOf(item)[0] ?? -1] ?? [];
		const text = outcomes.textOf(item);
		const isError = item.json.error !== undefined;
		expect(outputs[1]?.includes(item) ?? false).toBe(isError && onError === 'continueErrorOutput');
		const allowed = new Set(responded.filter((one) => ['done', 'unknown'].includes(one)));
		// What an earlier try changed may be reported as unknown, but never as unchanged.
		if (allowed.has('done') && maxTries > 1) allowed.add('unknown');
		if (allowed.size === 0) allowed.add('rejected');
		const [verdict = 'done'] = isError ? outcomes.verdictsIn(text) : [];
		const isAllowed = allowed.has(verdict);
		expect([responded, text, isAllowed || verdict]).toEqual([responded, text, true]);
	}
}

test('Update reports the outcome of each item', async () => {
	await fc.assert(fc.asyncProperty(anyHistory, check), settings(Number(process.env.CASES ?? 80)));
}, 100_000_000);
