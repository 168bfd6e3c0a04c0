import { ConcurrencyLimiter } from '../../nodes/WorkflowInstanceService/api/pace/concurrencyLimiter';
import type { Line, Turn } from '../../nodes/WorkflowInstanceService/api/pace/line';
import { PacedRequest } from '../../nodes/WorkflowInstanceService/api/pace/pacedRequest';
import { Member, RunOrder } from '../../nodes/WorkflowInstanceService/api/pace/runOrder';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/pace/runStopped';
import {
	joinLimiter,
	limiterCount,
} from '../../nodes/WorkflowInstanceService/api/pace/sharedLimiters';
import { VirtualClock } from '../harness/virtualClock';

async function settled(): Promise<void> {
	for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const BOUNDS = { maxConcurrentRequests: 100, maxRetries: 4, maxWait: 300_000 };

let asked = 0;
/** The place of a request for something that nobody else asks for. */
const place = (line: Line) => line.place('GET', `/${++asked}/`, BOUNDS);

/** Asks for turns, and keeps those that were given, in order. */
async function ask(line: Line, count: number): Promise<Turn[]> {
	const given: Turn[] = [];
	for (let nth = 0; nth < count; nth++) {
		void place(line)(false).then((turn) => given.push(turn), String);
	}
	await settled();
	return given;
}

describe('the concurrency limiter', () => {
	let clock: VirtualClock;
	let limiter: ConcurrencyLimiter;
	let line: Line;
	beforeEach(() => {
		clock = new VirtualClock();
		limiter = new ConcurrencyLimiter(clock);
		line = limiter.join();
	});
	// What waits without end keeps the clock going.
	afterEach(() => clock.stop());

	describe('of several runs', () => {
		test('lets requests that belong to begun work go first', async () => {
			const begun = await ask(line, 10);
			const order: string[] = [];
			for (const [name, comesFirst] of [
				['new', false],
				['begun', true],
			] as const) {
				void place(line)(comesFirst).then(() => order.push(name));
			}
			begun[0]?.answered(true);
			begun[1]?.answered(true);
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
			for (const turn of late) turn.answered(true);
			expect(await ask(other, 30)).toHaveLength(10);
		});

		test('is another one for another base URL or another key', () => {
			const lines = ['ax', 'ay', 'bx', 'ax'].map(([url = '', key = '']) =>
				joinLimiter(url, key, clock, 0),
			);
			expect(limiterCount()).toBe(3);
			for (const each of lines) each.leave();
			expect(limiterCount()).toBe(0);
		});

		test('is idle when the last one has left, even if some requests hang', async () => {
			let idle = 0;
			limiter = new ConcurrencyLimiter(clock, () => idle++);
			const [first, second] = [limiter.join(), limiter.join()];
			const waiting = await ask(first, 11);
			first.leave();
			expect(idle).toBe(0);
			second.leave();
			second.leave();
			expect(idle).toBe(1);
			await clock.sleep(60_000);
			expect(waiting).toHaveLength(10);
			expect(clock.slept).toEqual([60_000]);
		});
	});

	test('lets one more in after each second without news: those in flight may hang', async () => {
		const begun = await ask(line, 30);
		await clock.sleep(2_500);
		expect(begun).toHaveLength(12);
	});

	test('gives no place to what hangs while others get through', async () => {
		const begun = await ask(line, 40);
		await clock.sleep(500);
		begun[9]?.answered(true);
		await settled();
		expect(begun).toHaveLength(11);
		await clock.sleep(600);
		begun[10]?.answered(true);
		await settled();
		expect(begun).toHaveLength(21);
	});

	describe('that requests are pushed back by', () => {
		const pushBack = (turns: Turn[], milliseconds: number) =>
			turns.forEach((turn) => void turn.pushedBack(milliseconds));

		test('asks another request, for something else, whether there is a limit', async () => {
			const begun = await ask(line, 10);
			const order: string[] = [];
			for (const path of [`/${asked}/`, '/other/']) {
				void line
					.place(
						'GET',
						path,
						BOUNDS,
					)(false)
					.then(() => order.push(path));
			}
			pushBack(begun.slice(7), 5_000);
			await settled();
			expect(order).toEqual(['/other/']);
		});

		test('holds back all runs if no request is left to ask', async () => {
			const [last, ...others] = await ask(line, 4);
			pushBack(others, 5_000);
			expect(line.hold().wait).toBe(0);
			last?.lost();
			pushBack(await ask(line, 1), 5_000);
			expect(limiter.join().hold()).toEqual({ wait: 5_000, isByCredential: false });
		});

		test('counts no time in which nobody asks', async () => {
			const other = { ...BOUNDS, maxRetries: 0 };
			expect(await (await line.place('GET', '/', other)(false)).pushedBack(1_000)).toBe(false);
			await clock.sleep(BOUNDS.maxWait);
			expect(await (await place(line)(false)).pushedBack(1_000)).toBe(true);
		});

		test('sends one request after its limit showed, and more if that one is lost', async () => {
			const begun = await ask(line, 40);
			pushBack(begun.splice(0), 5_000);
			await settled();
			pushBack(begun.splice(0), 5_000);
			await clock.sleep(5_001);
			expect(begun).toHaveLength(1);
			begun.pop()?.lost();
			await settled();
			expect(begun).toHaveLength(5);
		});
	});

	describe('of a run that is stopped', () => {
		test.each(['close', 'leave'] as const)(
			'refuses what waits and what comes later (%s)',
			async (end) => {
				const [turn] = await ask(line, 11);
				const retry = turn?.pushedBack(5_000);
				const waiting = place(line)(false);
				const resting = line.rest(1_000);
				expect(line.isClosed).toBe(false);
				line[end]();
				expect(line.isClosed).toBe(true);
				await expect(waiting).rejects.toThrow(RunStopped);
				await expect(resting).rejects.toThrow(RunStopped);
				await expect(place(line)(true)).rejects.toThrow(RunStopped);
				await retry;
				expect(clock.slept).toEqual([]);
			},
		);

		test('gives no place to what it has refused', async () => {
			const turns = await ask(line, 15);
			line.close();
			for (const turn of turns) turn.answered(true);
			expect(await ask(limiter.join(), 30)).toHaveLength(20);
		});

		test('rests for as long as it was asked to otherwise', async () => {
			const begun = clock.now();
			await line.rest(500);
			expect(clock.now() - begun).toBe(500);
		});
	});
});

test('runs take turns, or by level, and the first one going lends its reads', () => {
	const [order, patient, quick] = [new RunOrder(), new Member(), new Member()];
	const add = (member: Member, level: number) => {
		const request = new PacedRequest('GET', '/', BOUNDS);
		order.add(member);
		member.queue.add({ request, grant: () => undefined, refuse: () => undefined }, level);
	};
	add(patient, 4);
	add(quick, 1);
	expect(order.reader).toBeUndefined();
	for (const member of [patient, quick]) member.read = async () => await Promise.resolve();
	expect(order.reader).toBe(patient);
	expect([order.next(true)?.member, order.next(false)?.member]).toEqual([quick, patient]);
	quick.close();
	expect(order.reader).toBe(patient);
});
