import fc from 'fast-check';

import type { FaultAction, RateLimit } from '../../../sandbox/service';
import { createTrigger, useVirtualClock } from '../../harness';
import { settings } from '../support/hostile';
import { respond, useSandbox } from '../support/sandbox';

const FIVE_MINUTES = 300_000;
const UNAVAILABLE = respond(503, {});
const HANGS: FaultAction = { type: 'hang' };

const sandbox = useSandbox();
const clock = useVirtualClock();

type Polls = Array<{ requested: Set<number>; read: Set<number> }>;

/** Polls every five minutes. Returns which IDs each poll requested, and which of them it read. */
async function pollsOf(ids: number[], times: number) {
	const instanceIds = `={{ [${ids}] }}`;
	const trigger = await createTrigger({
		credentials: sandbox.credentials,
		parameters: { instanceIds, events: ['stageChanged'] },
		budget: 45_000,
	});
	const polls: Polls = [];
	while (polls.length < times) {
		const next = clock().now() + FIVE_MINUTES;
		sandbox.control.clearLog();
		await trigger.poll().catch(() => null);
		const idsOf = (entries: ReturnType<typeof sandbox.log>) =>
			new Set(entries.map(({ url }) => Number(/(\d+)\/$/.exec(url)?.[1])));
		const read = sandbox.log().filter(({ status }) => status === 200);
		polls.push({ requested: idsOf(sandbox.log()), read: idsOf(read) });
		await clock().sleep(next - clock().now());
	}
	return polls;
}
const fail = (action: FaultAction, ids: number[]) =>
	void (ids.length > 0 && sandbox.control.addFault({ match: { ids }, times: 0, action }));
const limit = (requests: number, seconds: number) => () =>
	sandbox.control.setRateLimit({ requests, seconds });

test.each<[string, count: number, act: (ids: number[]) => unknown, ...numbers: number[]]>([
	['50 requests in ten minutes', 300, limit(50, 600), 0, 24, 23],
	['a limit that the same ten would meet each time', 60, limit(50, 299), 0, 8, 1],
	['16 that are always unavailable', 100, (ids) => fail(UNAVAILABLE, ids.slice(0, 16)), 16, 6, 0],
	['40 that hang for a whole poll', 60, (ids) => fail(HANGS, ids.slice(0, 40)), 40, 12, 3],
])(
	'With %s, polls ask for all instances in time, and read the others',
	async (_what, count, act, failing = 0, times = 0, most = 0) => {
		const ids = sandbox.control.addInstances(count);
		act(ids);
		const polls = await pollsOf(ids, times);
		/** The most polls in a row, to the first and from the last one as well, without one of them. */
		const longestGap = (what: 'requested' | 'read', of: number[]) => {
			const gaps = of.map((id) => polls.map((poll) => (poll[what].has(id) ? ' ' : '-')).join(''));
			return Math.max(...gaps.flatMap((each) => each.split(' ').map(({ length }) => length)));
		};
		expect(longestGap('requested', ids)).toBeLessThanOrEqual(most);
		expect(longestGap('read', ids.slice(failing))).toBeLessThanOrEqual(most);
	},
	120_000,
);

const ILLNESSES: FaultAction[] = [
	UNAVAILABLE,
	respond(503, {}, { 'retry-after': '60' }),
	respond(429, {}),
	respond(404, {}),
	HANGS,
];
const limits = fc.option(
	fc.record<RateLimit>({
		requests: fc.integer({ min: 10, max: 30 }),
		seconds: fc.constantFrom(60, 299),
		retryAfter: fc.constantFrom('seconds', 'none'),
	}),
);
const history = fc.record({
	ill: fc.array(fc.integer({ min: 0, max: 39 }), { maxLength: 8 }),
	illnesses: fc.array(fc.constantFrom(...ILLNESSES), { minLength: 1, maxLength: 2 }),
	slow: fc.array(fc.integer({ min: 0, max: 39 }), { maxLength: 4 }),
	limit: limits,
});

test('Whatever fails, every instance is checked in time, and every healthy one is read', async () => {
	const property = fc.asyncProperty(history, async ({ ill, illnesses, slow, limit }) => {
		sandbox.control.reset();
		sandbox.control.setRateLimit(limit);
		const ids = sandbox.control.addInstances(40);
		const at = (places: number[]) => places.flatMap((place) => ids[place] ?? []);
		illnesses.forEach((action, index) =>
			fail(action, at(ill.filter((place) => place % illnesses.length === index))),
		);
		fail({ type: 'delay', ms: 3_000 }, at(slow));
		const sick = new Set(at(ill));
		const polls = await pollsOf(ids, 10);
		const requested = new Set(polls.flatMap((poll) => [...poll.requested]));
		const read = new Set(polls.flatMap((poll) => [...poll.read]));
		expect(ids.filter((id) => !requested.has(id))).toEqual([]);
		expect(ids.filter((id) => !read.has(id) && !sick.has(id))).toEqual([]);
	});
	await fc.assert(property, settings(6));
}, 120_000);
