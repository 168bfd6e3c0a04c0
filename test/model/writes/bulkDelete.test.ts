import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { settings } from '../../engine/support/hostile';
import { useVirtualClock } from '../../harness';
import { type Handler, inputsOf, useServer, type ValueOf } from '../service';
import * as outcomes from './outcomes';

/** What a response contains, with the service's words; test/engine/responses.test.ts has many more. */
const BODIES = {
	nothing: () => '',
	words: (said: string) => JSON.stringify({ detail: said }),
	failure: (said: string) => JSON.stringify({ detail: said, failed: 1 }),
	/** Usually from a gateway. */
	page: (said: string) => `<html><title>${said}</title></html>`,
};

/** A response with one of these statuses; 0 is a lost connection. */
const anyBehavior = (statuses: number[]) =>
	fc.record({
		status: fc.constantFrom(...statuses),
		body: fc.constantFrom<keyof typeof BODIES>('nothing', 'words', 'words', 'failure', 'page'),
		/** Which IDs are deleted although the response doesn't say so: bit n stands for the nth of every eight. */
		mask: fc.constantFrom(0, 0b1111_1111, 0b0101_0101, 0b0000_1111),
	});

type Behavior = ValueOf<ReturnType<typeof anyBehavior>>;

const HEALTHY: Behavior = { status: 204, body: 'nothing', mask: 0 };
const LOST: Behavior = { status: 0, body: 'nothing', mask: 0b0101_0101 };

/** What a response says about the IDs of its request; the contract says nothing about the last of these. */
type Meaning = 'done' | 'rejected' | 'unknown' | 'rateLimited' | 'vague';

/** What the contract says about a response to a request with `count` IDs. No body here reports deletions. */
function meaningOf({ status, body }: Behavior, count: number): Meaning {
	if (status === 204) return 'done';
	if (status === 0 || status === 207 || status >= 500) return 'unknown';
	if (status < 300) return body === 'page' || body === 'failure' ? 'unknown' : 'done';
	if (status === 429) return 'rateLimited';
	if ([400, 401, 403, 422].includes(status)) return 'rejected';
	if (![404, 409, 410].includes(status) || (count === 1 && body === 'page')) return 'vague';
	return count > 1 ? 'unknown' : 'rejected';
}

/** The service. It knows which instances exist, which request deleted which of them, and what it responded. */
function createService(behaviorFor: (ids: number[]) => Behavior) {
	const deletions: Array<{ ids: number[]; status: number; meaning: Meaning; words: string }> = [];
	const gone = new Set<number>();
	const isThere = (id: number) => !gone.has(id);
	const remove = (ids: number[]): [number, string] => {
		const behavior = behaviorFor(ids);
		const { status, body, mask } = behavior;
		const meaning = meaningOf(behavior, ids.length);
		const said = `said${deletions.length}so`;
		const content = status === 204 ? '' : BODIES[body](said);
		const words = status !== 0 && content.includes(said) ? said : '';
		deletions.push({ ids, status, meaning, words });
		ids.forEach((id, at) => {
			const isDone = meaning === 'done' || (meaning === 'unknown' && (mask >> at % 8) % 2 === 1);
			if (isDone) gone.add(id);
		});
		return [status, content];
	};
	const handler: Handler = ({ sent }) => remove(JSON.parse(sent).ids);
	return { deletions, isThere, handler };
}

const STATUSES = [
	...[200, 200, 200, 202, 204, 207, 0, 0, 302, 400, 401, 403, 404, 409, 410, 413, 422, 429],
	...[500, 502, 503, 504],
];
const fewIds = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
const manyIds = fc.integer({ min: 20, max: 350 }).map((count) => [...Array(count).keys()].slice(1));
const badValue = fc.record({ bad: fc.constantFrom<unknown>('x', 0, 1.5, null, [3, 'x']) });

const anyHistory = fc.record({
	/** What the input items contain: IDs, or something else. */
	wishes: fc.array(
		fc.oneof(
			{ weight: 150, arbitrary: fewIds },
			{ weight: 1, arbitrary: manyIds },
			{ weight: 15, arbitrary: badValue },
		),
		{ minLength: 1, maxLength: 6 },
	),
	batchSize: fc.constantFrom(100, 1, 2, 3, 5, 20),
	maxWait: fc.constantFrom(300, 2),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	maxTries: fc.constantFrom(1, 1, 2, 3, 5),
	/** What happens to the requests, in order; after that, the service works. */
	script: fc.array(
		fc.record({
			behavior: fc.oneof(fc.constant(undefined), anyBehavior(STATUSES)),
			times: fc.constantFrom(1, 1, 1, 2, 7, 30),
		}),
		{ maxLength: 6 },
	),
	/** The service rejects every nth ID (0: none), and with it the batch. */
	every: fc.constantFrom(0, 0, 1, 2, 3, 7, 50),
	rejection: anyBehavior([400, 403, 404, 409, 422]),
	/** The request during which the user stops the execution. */
	stopAt: fc.constantFrom(...Array<undefined>(30).fill(undefined), 0, 1, 2, 3, 5),
});

useVirtualClock();
const start = useServer();

/** Runs a history. Returns it with what the service knows and what the node reported. */
async function play(history: ValueOf<typeof anyHistory>) {
	const { wishes, batchSize, maxWait, maxTries, every, stopAt } = history;
	const script = history.script.flatMap(({ behavior, times }) => Array(times).fill(behavior));
	const stop = new AbortController();
	const service = createService((ids) => {
		const request = service.deletions.length;
		if (request === stopAt) stop.abort();
		if (stop.signal.aborted) return LOST;
		const isRejected = ids.some((id) => id % every === 0);
		return script[request] ?? (isRejected ? history.rejection : HEALTHY);
	});
	const options = { batchSize, maxWait };
	const result = await outcomes.run(maxTries, {
		parameters: { operation: 'bulkDelete', instanceIds: '={{ $json.id }}', options },
		items: wishes.map((wish): IDataObject => Object({ id: Array.isArray(wish) ? wish : wish.bad })),
		credentials: start(service.handler),
		onError: history.onError,
		signal: stop.signal,
	});
	/** The items by the IDs that they contain. */
	const inputs = new Map<number, number[]>();
	wishes.forEach((wish, item) => {
		for (const id of new Set(Array.isArray(wish) ? wish : [])) {
			inputs.set(id, [...(inputs.get(id) ?? []), item]);
		}
	});
	const bad = wishes.flatMap((wish, item) => (Array.isArray(wish) ? [] : [item]));
	const { deletions, isThere } = service;
	return { ...history, ...result, deletions, isThere, inputs, bad, isStopped: stop.signal.aborted };
}
type Outcome = Awaited<ReturnType<typeof play>>;

/** What may be reported about an ID, by what the service said about it in all tries. */
function verdictsOf({ deletions }: Outcome, id: number): outcomes.Verdict[] {
	const meanings = deletions.flatMap(({ ids, meaning }) => (ids.includes(id) ? [meaning] : []));
	if (meanings.includes('done')) return ['done'];
	if (meanings.includes('unknown')) return ['unknown'];
	if (meanings.includes('vague')) return ['unknown', 'rejected'];
	if (!meanings.includes('rejected')) return ['notSent'];
	return meanings.at(-1) === 'rateLimited' ? ['rejected', 'notSent'] : ['rejected'];
}

function checkOne(outcome: Outcome, id: number, said: outcomes.Verdict[], text: string) {
	const expected = verdictsOf(outcome, id);
	const isTrue = expected.some((verdict) => said.includes(verdict));
	expect([id, said, text]).toEqual([id, isTrue ? said : expected, text]);
}

const checkLists = (outcome: Outcome, lists: outcomes.Verdicts, text: string) =>
	lists.forEach(([id, verdict]) => checkOne(outcome, id, [verdict], text));

function checkRequests({ batchSize, maxTries, stopAt, deletions, inputs, isStopped }: Outcome) {
	const deleted = new Set<number>();
	for (const { ids, meaning } of deletions) {
		expect(ids.length).toBeLessThanOrEqual(batchSize);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids.filter((id) => !inputs.has(id))).toEqual([]);
		// Deleted IDs are never sent again, in any try.
		expect(ids.filter((id) => deleted.has(id))).toEqual([]);
		if (meaning === 'done') for (const id of ids) deleted.add(id);
	}
	// A rejected key ends the try, and the user ends all tries.
	const rejectedKeys = deletions.filter(({ status }) => status === 401).length;
	expect(rejectedKeys).toBeLessThanOrEqual(maxTries);
	if (maxTries === 1 && rejectedKeys > 0) expect(deletions.at(-1)?.status).toBe(401);
	if (isStopped) expect(deletions).toHaveLength(Number(stopAt) + 1);
	// Finding rejected IDs takes at most 200 requests.
	const ended = deletions.filter(({ status }) => ![0, 429, 502, 503, 504].includes(status));
	const batches = Math.ceil(inputs.size / batchSize);
	expect(ended.length).toBeLessThanOrEqual(maxTries * (batches + 200));
}

/** The service's own words are shown, except when the key or a limit is all there is to say. */
function checkWords({ deletions }: Outcome, id: number, text: string) {
	const last = deletions.findLast(({ ids }) => ids.includes(id));
	if (last && ![302, 429].includes(last.status)) expect(text).toContain(last.words);
}

/** The error that ends a run reports the outcome of each ID. */
function checkError(outcome: Outcome) {
	const { inputs, deletions, error } = outcome;
	const text = `${error?.message} ${error?.description}`;
	const [first = 0, ...others] = inputs.keys();
	const lists = outcomes.listsOf(error?.context);
	checkLists(outcome, lists, text);
	checkWords(outcome, deletions.at(-1)?.ids[0] ?? 0, text);
	if (others.length === 0) return checkOne(outcome, first, outcomes.verdictsIn(text), text);
	expect(outcomes.sorted(lists.map(([id]) => id))).toEqual(outcomes.sorted(inputs.keys()));
	const isNothing =
		text.includes('Nothing was deleted') && lists.every(([, verdict]) => verdict === 'notSent');
	const listed = isNothing ? lists : outcomes.listsIn(text);
	expect([text, outcomes.sorted(listed)]).toEqual([text, outcomes.sorted(lists)]);
}

/** Each bad item and each ID is output once, paired, with its outcome. */
function checkItems(outcome: Outcome) {
	const { onError, deletions, isThere, inputs, bad, outputs, hints } = outcome;
	const isOfBad = (item: INodeExecutionData) =>
		item.json.deleted !== true && bad.includes(inputsOf(item)[0] ?? -1);
	const items = outputs.flat();
	expect(items.filter(isOfBad).flatMap(inputsOf)).toEqual(bad);
	const good = items.filter((item) => !isOfBad(item));
	expect(outcomes.sorted(good.map(outcomes.idOf))).toEqual(outcomes.sorted(inputs.keys()));
	for (const item of good) {
		const id = outcomes.idOf(item);
		const isDeleted = item.json.deleted === true;
		const isError = onError === 'continueErrorOutput' && !isDeleted;
		const text = isDeleted ? String(item.json.serviceMessage) : outcomes.textOf(item);
		const expected = verdictsOf(outcome, id);
		expect(inputsOf(item)).toEqual(inputs.get(id));
		expect(outputs[1]?.includes(item) ?? false).toBe(isError);
		checkOne(outcome, id, isDeleted ? ['done'] : outcomes.verdictsIn(text), text);
		checkWords(outcome, id, text);
		// Going by what the service has stored, whatever it said.
		if (!expected.includes('unknown')) expect([id, isThere(id)]).toEqual([id, !isDeleted]);
		if (isDeleted && text.includes('said')) expect(hints.join()).toMatch(/said\d+so/);
		const isOfKey = expected.includes('notSent') && deletions.at(-1)?.status === 401;
		if (isOfKey) expect(text).toContain('(401)');
	}
}

async function check(history: ValueOf<typeof anyHistory>) {
	const outcome = await play(history);
	const { onError, deletions, inputs, bad, outputs, error, lines, hints } = outcome;
	for (const text of [...lines, ...hints, ...outputs.flat().map(outcomes.textOf)]) {
		checkLists(outcome, outcomes.listsIn(text), text);
	}
	if (onError === 'stopWorkflow' && bad.length > 0) {
		expect(deletions).toEqual([]);
		return expect(error?.message).toContain("'Instance IDs'");
	}
	checkRequests(outcome);
	if (outcome.isStopped) {
		if (!deletions.some(({ meaning }) => meaning === 'done')) return;
		const listed = new Set(lines.flatMap(outcomes.listsIn).map(([id]) => id));
		return expect(outcomes.sorted(listed)).toEqual(outcomes.sorted(inputs.keys()));
	}
	if (onError === 'stopWorkflow' && error !== undefined) return checkError(outcome);
	expect(error).toBeUndefined();
	checkItems(outcome);
}

test('Bulk Delete reports the outcome of each ID', async () => {
	await fc.assert(fc.asyncProperty(anyHistory, check), settings(Number(process.env.CASES ?? 120)));
}, 100_000_000);
