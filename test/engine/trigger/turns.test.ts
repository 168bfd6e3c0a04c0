import fc from 'fast-check';

import type { FaultAction, RateLimit } from '../../../sandbox/service';
import { createTrigger, useVirtualClock } from '../../harness';
import { settings } from '../support/hostile';
import { respond, useSandbox } from '../support/sandbox';

const FIVE_MINUTES = 300_000;
const UNAVAILABLE = respond(503, {});

const sandbox = useSandbox();
const clock = useVirtualClock();

type Polls = Array<{ asked: Set<number>; read: Set<number> }>;

/** Polls every five minutes. Returns which IDs each poll asked for, and which of them it read. */
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
		const log = sandbox.control.log().map(({ url, status }) => {
			return { id: Number(/(\d+)\/$/.exec(url)?.[1]), status };
		});
		const read = log.filter(({ status }) => status === 200);
		const setOf = (entries: typeof log) => new Set(entries.map(({ id }) => id));
		polls.push({ asked: setOf(log), read: setOf(read) });
		await clock().sleep(next - clock().now());
	}
	return polls;
}
const fail = (action: FaultAction, ids: number[]) =>
	void (ids.length > 0 && sandbox.control.addFault({ match: { ids }, times: 0, action }));
/** The most polls in a row, to the first and from the last one as well, that left an ID out. */
const longestGap = (ids: number[], polls: Polls, what: 'asked' | 'read') =>
	Math.max(
		...ids.map((id) => {
			const gaps = polls.map((poll) => (poll[what].has(id) ? ' ' : '-')).join('');
			return Math.max(...gaps.split(' ').map(({ length }) => length));
		}),
	);

test.each<[count: number, RateLimit, times: number, most: number]>([
	[300, { requests: 100, seconds: 3_600 }, 48, 47],
	[300, { requests: 50, seconds: 600 }, 24, 23],
	// The same ten would meet the limit each time.
	[60, { requests: 50, seconds: 299 }, 8, 1],
])(
	'Each of %d instances is read in time at the limit %j',
	async (count, limit, times, most) => {
		const ids = sandbox.control.addInstances(count);
		sandbox.control.setRateLimit(limit);
		expect(longestGap(ids, await pollsOf(ids, times), 'read')).toBeLessThanOrEqual(most);
	},
	120_000,
);

test('Every poll reads the others when 16 of 100 instances are always unavailable', async () => {
	const ids = sandbox.control.addInstances(100);
	fail(UNAVAILABLE, ids.slice(0, 16));
	const polls = await pollsOf(ids, 6);
	expect(longestGap(ids, polls, 'asked')).toBe(0);
	expect(longestGap(ids.slice(16), polls, 'read')).toBe(0);
}, 60_000);

test('Instances that hang let the others be read, even if they fill the whole time of a poll', async () => {
	const ids = sandbox.control.addInstances(60);
	fail({ type: 'hang' }, ids.slice(0, 40));
	expect(longestGap(ids.slice(40), await pollsOf(ids, 12), 'read')).toBeLessThanOrEqual(3);
}, 60_000);

const ILLNESSES: FaultAction[] = [
	UNAVAILABLE,
	respond(503, {}, { 'retry-after': '60' }),
	respond(429, {}),
	respond(404, {}),
	{ type: 'hang' },
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
		const asked = new Set(polls.flatMap((poll) => [...poll.asked]));
		const read = new Set(polls.flatMap((poll) => [...poll.read]));
		expect(ids.filter((id) => !asked.has(id))).toEqual([]);
		expect(ids.filter((id) => !read.has(id) && !sick.has(id))).toEqual([]);
	});
	await fc.assert(property, settings(6));
}, 120_000);
