import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import { ConcurrencyLimiter } from '../../nodes/WorkflowInstanceService/api/concurrencyLimiter';
import type { Line, Turn } from '../../nodes/WorkflowInstanceService/api/line';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/runStopped';

/** A clock that stands still until the test moves it. */
class ManualClock implements Clock {
	private time = 1_000_000;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	constructor(private readonly luck = 0) {}

	now = () => this.time;

	chance = () => this.luck;

	async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
		if (milliseconds === 0) return await new Promise((resolve) => setImmediate(resolve));
		await new Promise<void>((wake) => {
			this.sleepers.push({ at: this.time + milliseconds, wake });
			signal.addEventListener('abort', () => wake(), { once: true });
		});
	}

	async pass(milliseconds: number): Promise<void> {
		this.time += milliseconds;
		const due = this.sleepers.filter(({ at }) => at <= this.time);
		this.sleepers = this.sleepers.filter((sleeper) => !due.includes(sleeper));
		for (const { wake } of due) wake();
		await settled();
	}
}

async function settled(): Promise<void> {
	for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const CEILING = 100;
const BOUNDS = { maxConcurrentRequests: CEILING, maxWait: 300_000 };

/** Asks for turns, and keeps those that were given, in order. */
async function ask(line: Line, count: number, ceiling = CEILING): Promise<Turn[]> {
	const given: Turn[] = [];
	for (let nth = 0; nth < count; nth++) {
		void line.enter({ maxConcurrentRequests: ceiling, maxWait: 300_000 }, false).then(
			(turn) => given.push(turn),
			() => undefined,
		);
	}
	await settled();
	return given;
}

/** Answers what is in flight, in rounds of `latency` milliseconds, until all `count` requests are done. */
async function rounds(
	line: Line,
	clock: ManualClock,
	count: number,
	latency: (inFlight: number) => number = () => 100,
): Promise<number[]> {
	const given = await ask(line, count);
	const sizes: number[] = [];
	for (let done = 0; done < given.length; ) {
		const inFlight = given.slice(done);
		sizes.push(inFlight.length);
		await clock.pass(latency(inFlight.length));
		for (const turn of inFlight) turn.answered();
		done += inFlight.length;
		await settled();
	}
	return sizes;
}

describe('the concurrency limiter', () => {
	let clock: ManualClock;
	let limiter: ConcurrencyLimiter;
	let line: Line;
	beforeEach(() => {
		clock = new ManualClock();
		limiter = new ConcurrencyLimiter(clock);
		line = limiter.join();
	});

	describe('without push-back', () => {
		test('begins with 10 requests in flight and doubles after each round, up to 100', async () => {
			expect(await rounds(line, clock, 400)).toEqual([10, 20, 40, 80, 100, 100, 50]);
		});

		test('keeps to the ceiling of the run', async () => {
			expect(await ask(line, 50, 3)).toHaveLength(3);
		});

		test('does not grow while less than half of it is in use', async () => {
			for (let nth = 0; nth < 60; nth++) {
				const [turn] = await ask(line, 1);
				await clock.pass(100);
				turn?.answered();
			}
			expect(await ask(line, 50)).toHaveLength(10);
		});

		test('stops growing when answers become markedly slower', async () => {
			// A service that works on 20 requests at a time, and lets the others wait.
			const latency = (inFlight: number) => 200 * Math.max(1, inFlight / 20);
			const sizes = await rounds(line, clock, 600, latency);
			expect(sizes.slice(0, 3)).toEqual([10, 20, 40]);
			expect(Math.max(...sizes)).toBeLessThan(60);
		});

		test('goes on growing when answers are a little slower', async () => {
			const latency = (inFlight: number) => 200 + inFlight;
			expect(Math.max(...(await rounds(line, clock, 400, latency)))).toBe(100);
		});
	});

	describe('a push-back', () => {
		test('halves the limit once for all requests that were in flight together', async () => {
			for (const turn of await ask(line, 10)) turn.pushedBack(1_000, true);
			const after = await ask(line, 50);
			expect(after).toHaveLength(0);
			await clock.pass(1_000);
			expect(after).toHaveLength(5);
		});

		test('counts again when it comes from a request that was sent after the cut', async () => {
			const [first, second, ...others] = await ask(line, 30);
			first?.pushedBack(0, false);
			expect(others).toHaveLength(8);
			for (const turn of others) turn.answered();
			second?.pushedBack(0, false);
			const fresh = await ask(line, 30);
			expect(fresh.length).toBeLessThanOrEqual(5);
			fresh[0]?.pushedBack(0, false);
			for (const turn of fresh.slice(1)) turn.answered();
			await settled();
			line.leave();
		});

		test('never makes the limit less than one', async () => {
			for (let nth = 0; nth < 8; nth++) {
				const turns = await ask(line, 1);
				turns[0]?.pushedBack(0, false);
			}
			expect(await ask(line, 5)).toHaveLength(1);
		});

		test('ends the doubling: from then on the limit grows by one a round', async () => {
			for (const turn of await ask(line, 10)) turn.pushedBack(0, false);
			const sizes = await rounds(line, clock, 80);
			// At least ten answers make a round, so the first steps take two.
			expect(sizes.slice(0, 6)).toEqual([5, 5, 6, 6, 7, 7]);
			expect(Math.max(...sizes)).toBeLessThan(12);
		});

		test('holds back the requests of all runs for the time that the service asks', async () => {
			const other = limiter.join();
			const [turn] = await ask(line, 1);
			turn?.pushedBack(7_000, true);
			const held = [await ask(line, 1), await ask(other, 1)];
			await clock.pass(6_999);
			expect(held.flat()).toHaveLength(0);
			await clock.pass(1);
			expect(held.map(({ length }) => length)).toEqual([1, 1]);
		});

		test.each([
			[4_000, 4_400],
			[60_000, 65_000],
		])('of %p ms is held for up to %p ms by chance', async (asked, longest) => {
			clock = new ManualClock(0.999_999);
			limiter = new ConcurrencyLimiter(clock);
			line = limiter.join();
			const [turn] = await ask(line, 1);
			turn?.pushedBack(asked, true);
			const held = await ask(line, 1);
			await clock.pass(longest - 2);
			expect(held).toHaveLength(0);
			await clock.pass(2);
			expect(held).toHaveLength(1);
		});

		test('that does not say how long makes pauses that double up to 30 seconds', async () => {
			const pauses: number[] = [];
			for (let nth = 0; nth < 7; nth++) {
				const [turn] = await ask(line, 1);
				turn?.pushedBack(0, true);
				const held = await ask(line, 1);
				const from = clock.now();
				while (held.length === 0) await clock.pass(100);
				pauses.push(clock.now() - from);
				held[0]?.lost();
			}
			expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
		});

		test('makes one pause of its own for a burst, and begins with a second once something got through', async () => {
			for (const burst of [1, 2]) {
				const turns = await ask(line, 5);
				for (const turn of turns) turn.pushedBack(0, true);
				const held = await ask(line, 1);
				await clock.pass(999);
				expect([burst, held.length]).toEqual([burst, 0]);
				await clock.pass(1);
				expect([burst, held.length]).toEqual([burst, 1]);
				held[0]?.answered();
			}
		});

		test('that asks for longer than others of the same burst is heeded', async () => {
			const [first, second, third] = await ask(line, 3);
			first?.pushedBack(0, false);
			second?.pushedBack(1_000, true);
			third?.pushedBack(10_000, true);
			const held = await ask(line, 1);
			await clock.pass(9_999);
			expect(held).toHaveLength(0);
			await clock.pass(1);
			expect(held).toHaveLength(1);
		});

		test('tells how long nothing at all has got through', async () => {
			const [first, second, third] = await ask(line, 3);
			expect(first?.stalled).toBe(0);
			first?.pushedBack(0, false);
			await clock.pass(5_000);
			expect(second?.stalled).toBe(5_000);
			second?.answered();
			expect(third?.stalled).toBe(0);
			expect(third?.through).toBe(1);
		});
	});

	describe('of several runs', () => {
		test('gives them turns in turn, however many requests each has', async () => {
			const other = limiter.join();
			const order: string[] = [];
			const queue = (name: string, from: Line, count: number) => {
				for (let nth = 0; nth < count; nth++) {
					void from.enter(BOUNDS, false).then((turn) => {
						order.push(name);
						setImmediate(() => turn.answered());
					});
				}
			};
			queue('many', line, 40);
			queue('few', other, 5);
			for (let nth = 0; nth < 30; nth++) await settled();
			// The first ten were on their way before the other run came.
			expect(order.slice(10, 20).filter((name) => name === 'few')).toHaveLength(5);
			expect(order).toHaveLength(45);
		});

		test('lets requests that belong to begun work go first', async () => {
			const begun = await ask(line, 10);
			const order: string[] = [];
			for (const [name, comesFirst] of [
				['new', false],
				['begun', true],
			] as const) {
				void line.enter(BOUNDS, comesFirst).then(() => order.push(name));
			}
			begun[0]?.answered();
			begun[1]?.answered();
			await settled();
			expect(order).toEqual(['begun', 'new']);
		});

		test('gives the places of a run that leaves to the others at once', async () => {
			const other = limiter.join();
			expect(await ask(line, 10)).toHaveLength(10);
			const waiting = await ask(other, 10);
			expect(waiting).toHaveLength(0);
			line.leave();
			await settled();
			expect(waiting).toHaveLength(10);
		});

		test('takes no notice of what becomes of the requests of a run that has left', async () => {
			const other = limiter.join();
			const late = await ask(line, 10);
			line.leave();
			line.leave();
			for (const turn of late) turn.answered();
			expect(await ask(other, 30)).toHaveLength(10);
		});

		test('is idle when the last one has left, whatever pause there was', async () => {
			let idle = 0;
			limiter = new ConcurrencyLimiter(clock, () => idle++);
			const [first, second] = [limiter.join(), limiter.join()];
			(await ask(first, 1))[0]?.pushedBack(60_000, true);
			const held = await ask(first, 1);
			first.leave();
			expect(idle).toBe(0);
			second.leave();
			expect(idle).toBe(1);
			await clock.pass(60_000);
			expect(held).toEqual([]);
		});
	});

	describe('of a run that is stopped', () => {
		test.each(['close', 'leave'] as const)(
			'refuses what waits and what comes later (%s)',
			async (end) => {
				await ask(line, 10);
				const waiting = line.enter(BOUNDS, false);
				const resting = line.rest(1_000);
				expect(line.isClosed).toBe(false);
				line[end]();
				expect(line.isClosed).toBe(true);
				await expect(waiting).rejects.toThrow(RunStopped);
				await expect(resting).rejects.toThrow(RunStopped);
				await expect(line.enter(BOUNDS, true)).rejects.toThrow(RunStopped);
			},
		);

		test('gives no place to what it has refused', async () => {
			const turns = await ask(line, 15);
			line.close();
			for (const turn of turns) turn.answered();
			expect(await ask(limiter.join(), 30)).toHaveLength(20);
		});

		test('rests for as long as it was asked to otherwise', async () => {
			let isRested = false;
			void line.rest(500).then(() => (isRested = true));
			await clock.pass(499);
			expect(isRested).toBe(false);
			await clock.pass(1);
			expect(isRested).toBe(true);
		});
	});
});
