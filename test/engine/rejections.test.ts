import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import { PermitPool, pools } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import { readThenWrite } from '../../nodes/WorkflowInstanceService/instance/update/readThenWrite';
import { SimulatedProcess } from '../../scripts/simulation/process';
import {
	type Reply,
	type ServiceOptions,
	SimulatedService,
} from '../../scripts/simulation/service';
import { VirtualClock } from '../harness';

const UNAVAILABLE = { status: 503 };
const HANGS = { status: 'hangs' } as const;

type Kind = 'get' | 'update' | 'delete';

/** Runs at a service that responds after 20 ms, on a clock of its own. Times are in seconds. */
class Scenario {
	readonly clock = new VirtualClock({ start: 0, quietTurns: 1 });
	readonly service: SimulatedService;
	readonly process: SimulatedProcess;
	/** By path: when it was done, and why it was not. */
	readonly doneAt = new Map<string, number>();
	readonly errors = new Map<string, string>();

	constructor(options: ServiceOptions, requestsPerMinute = 0) {
		this.service = new SimulatedService(this.clock, options);
		this.process = new SimulatedProcess(this.clock, this.service, requestsPerMinute);
	}

	/** One run, which ends when all its paths have. */
	async run(paths: string[], kind: Kind = 'get', maxWait = 300): Promise<this> {
		const run = this.process.join(maxWait * 1000);
		const work = async (path: string) => {
			await run[kind](path).then(
				() => this.doneAt.set(path, this.now),
				(error: Error) => this.errors.set(path, error.message),
			);
		};
		await Promise.all(paths.map(work));
		run.leave();
		return this;
	}

	get now(): number {
		return this.clock.now() / 1000;
	}

	/** When the last of some paths was done; Infinity if one was not. */
	lastOf(paths: string[]): number {
		return Math.max(...paths.map((path) => this.doneAt.get(path) ?? Infinity));
	}

	/** When requests for a path arrived, rounded down. */
	arrivals(path: string): number[] {
		const sent = this.service.log.filter((each) => each.path === path);
		return sent.map(({ at }) => Math.floor(at / 1000));
	}
}

const paths = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `/${from + index}/`);

/** A service where some instances always meet the same. */
function failing(...failures: Array<[paths: string[], reply: Reply]>): ServiceOptions {
	const replies = new Map(failures.flatMap(([ill, reply]) => ill.map((path) => [path, reply])));
	return { replyTo: ({ path }) => replies.get(path) ?? {} };
}

/** A service that replies so for some seconds. */
const during = (seconds: number, reply: Reply): ServiceOptions => ({
	replyTo: ({ at }) => (at < seconds * 1000 ? reply : {}),
});

afterEach(() => expect(pools.size).toBe(0));

describe('A rate limit (429)', () => {
	test('without Retry-After lets one Get wait 1, 2, 4, 8 and 16 seconds, and costs nothing', async () => {
		const scenario = await new Scenario(during(30, { status: 429 })).run(['/0/']);
		expect(scenario.errors.size).toBe(0);
		expect(scenario.arrivals('/0/')).toEqual([0, 1, 3, 7, 15, 31]);
	});

	test('holds all requests for as long as the service says', async () => {
		const headers = { 'retry-after': '10' };
		const scenario = await new Scenario(during(10, { status: 429, headers })).run(paths(30));
		expect(scenario.service.log.filter(({ at }) => at > 100 && at < 10_000)).toEqual([]);
		expect(scenario.lastOf(paths(30))).toBeLessThan(15);
	});

	test('keeps the order', async () => {
		const limit = { requests: 1, seconds: 1 };
		const scenario = await new Scenario({ limit }).run(paths(20));
		expect([...scenario.doneAt.keys()]).toEqual(paths(20));
	});

	test.each([
		['100 Gets at one a second', 1, 1, 'get', 100, 130],
		['50 Updates at one a second', 1, 1, 'update', 50, 140],
		['220 Gets at 100 a minute', 100, 60, 'get', 220, 150],
		['110 Updates at 100 a minute', 100, 60, 'update', 110, 150],
		['1,000 Gets at 50 a second', 50, 1, 'get', 1_000, 30],
	] as const)('lets %s through', async (_, requests, seconds, kind, count, most) => {
		for (const retryAfter of ['seconds', 'none'] as const) {
			const limit = { requests, seconds, retryAfter };
			const scenario = await new Scenario({ limit }).run(paths(count), kind);
			expect([...scenario.errors]).toEqual([]);
			expect(scenario.now).toBeLessThan(most);
			expect(scenario.service.throttled).toBeLessThan(scenario.service.log.length / 2);
		}
	});

	test('of one a second lets 25 Updates through with a Max Wait of 15 seconds', async () => {
		for (const retryAfter of ['seconds', 'none'] as const) {
			const limit = { requests: 1, seconds: 1, retryAfter };
			const scenario = await new Scenario({ limit }).run(paths(25), 'update', 15);
			expect([...scenario.errors]).toEqual([]);
		}
	});

	test('of 20 a second lets 190 through beside five that respond with 503 and five that hang', async () => {
		const ill = failing([paths(5), UNAVAILABLE], [paths(5, 100), HANGS]);
		const limit = { requests: 20, seconds: 1, retryAfter: 'none' } as const;
		const scenario = await new Scenario({ ...ill, limit }).run(paths(200));
		const healthy = paths(200).filter((path) => !scenario.errors.has(path));
		expect(healthy).toHaveLength(190);
		expect(scenario.lastOf(healthy)).toBeLessThan(30);
	});

	test('of a single instance holds up the others, but they are done, and all ends', async () => {
		const scenario = await new Scenario(failing([['/0/'], { status: 429 }])).run(paths(300));
		expect([...scenario.errors.keys()]).toEqual(['/0/']);
		expect(scenario.now).toBeLessThan(600);
	});
});

describe('An instance that is unavailable (502, 503, 504)', () => {
	test.each([
		[502, undefined, [0, 1, 3, 7, 15, 31]],
		[503, '3', [0, 3, 6, 10, 18, 34]],
		[504, undefined, [0, 1, 3, 7, 15, 31]],
		[503, '3600', [0]],
	])('by %d with a Retry-After of %p is tried at %j seconds', async (status, after, arrivals) => {
		const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
		const scenario = new Scenario(failing([['/0/'], { status, headers }]));
		await scenario.run(paths(300));
		expect([...scenario.errors.keys()]).toEqual(['/0/']);
		expect(scenario.arrivals('/0/')).toEqual(arrivals);
		expect(scenario.lastOf(paths(299, 1))).toBeLessThan(1);
	});

	test.each([
		['ten anywhere', paths(1_000).filter((_, index) => index % 100 === 7)],
		['the first ten', paths(10)],
	])('1,000 are read within a minute but for %s', async (_, ill) => {
		const scenario = await new Scenario(failing([ill, UNAVAILABLE])).run(paths(1_000));
		expect([...scenario.errors.keys()].sort()).toEqual([...ill].sort());
		expect(scenario.lastOf(paths(1_000).filter((path) => !ill.includes(path)))).toBeLessThan(10);
		expect(scenario.now).toBeLessThan(60);
		expect(scenario.service.log.length).toBeLessThanOrEqual(1_300);
	});

	test('400 are read within ten seconds beside three of them and one that hangs', async () => {
		const ill = failing([paths(3), UNAVAILABLE], [['/12/'], HANGS]);
		const scenario = await new Scenario(ill).run(paths(404));
		const healthy = paths(404).filter((path) => !scenario.errors.has(path));
		expect(healthy).toHaveLength(400);
		expect(scenario.lastOf(healthy)).toBeLessThan(10);
	});

	test.each([0, 40])(
		'84 of 100 are read in the time of a poll, with 16 from %d on',
		async (from) => {
			const ill = paths(16, from);
			const scenario = await new Scenario(failing([ill, UNAVAILABLE])).run(paths(100));
			expect(scenario.lastOf(paths(100).filter((path) => !ill.includes(path)))).toBeLessThan(25);
		},
	);

	test('ends a write that always fails, and the other updates go on', async () => {
		const scenario = new Scenario({
			replyTo: ({ path, method }) => (path === '/3/' && method === 'PUT' ? UNAVAILABLE : {}),
		});
		await scenario.run(paths(30), 'update');
		expect([...scenario.errors.keys()]).toEqual(['/3/']);
		expect(scenario.lastOf(paths(30).filter((path) => path !== '/3/'))).toBeLessThan(1);
		expect(scenario.now).toBeLessThan(60);
	});
});

describe('A service that is down', () => {
	test.each([3, 100])('for 20 seconds costs none of %d', async (count) => {
		const scenario = await new Scenario(during(20, UNAVAILABLE)).run(paths(count));
		expect([...scenario.errors]).toEqual([]);
		expect(scenario.now).toBeLessThan(40);
	});

	test('is asked by one request a second, none of which count', async () => {
		const scenario = await new Scenario(during(120, UNAVAILABLE)).run(paths(10));
		expect([...scenario.errors]).toEqual([]);
		expect(scenario.service.log.filter(({ at }) => at > 1_000 && at < 120_000).length).toBeLessThan(
			120,
		);
		expect(scenario.now).toBeLessThan(125);
	});
});

describe('A wait that is too long', () => {
	test('by Retry-After ends all that waits, unsent', async () => {
		const headers = { 'retry-after': '3600' };
		const scenario = await new Scenario({ replyTo: () => ({ status: 429, headers }) }).run(
			paths(50),
		);
		expect(scenario.errors.size).toBe(50);
		expect(scenario.now).toBeLessThan(1);
		expect(scenario.service.log).toHaveLength(10);
		expect(scenario.errors.get('/0/')).toMatch(
			/^The request for \/0\/ was not sent again, because the service says to retry in 60 minutes \(429\)/,
		);
		expect(scenario.errors.get('/49/')).toBe(
			'The request for /49/ was not sent, because the service says to retry in 60 minutes',
		);
	});

	test.each([429, 503])('ends all when nothing succeeds for that long (%d)', async (status) => {
		const scenario = await new Scenario({ replyTo: () => ({ status }) }).run(paths(50), 'get', 60);
		expect(scenario.errors.size).toBe(50);
		expect(scenario.now).toBeGreaterThan(60);
		expect(scenario.now).toBeLessThan(80);
		expect(scenario.errors.get('/49/')).toMatch(/because no request has succeeded for \d+ seconds/);
	});

	test('does not end a run for how long another one has waited', async () => {
		const scenario = new Scenario(during(40, { status: 429 }));
		const other = scenario.run(['/0/']);
		await scenario.clock.sleep(25_000);
		await scenario.run(['/1/'], 'get', 20);
		await other;
		expect([...scenario.errors]).toEqual([]);
	});
});

describe('How many requests are in flight', () => {
	test.each([0, 250])('doubles from 10 to 100, with bursts of %d ms', async (burst) => {
		const scenario = await new Scenario({ latency: [200, 200], burst }).run(paths(1_000));
		const { log } = scenario.service;
		expect(log.filter(({ at }) => at < 150)).toHaveLength(10);
		expect(scenario.now).toBeLessThan(4.5);
	});

	test('stays low where each one makes the others slower', async () => {
		const recent: number[] = [];
		const scenario = new Scenario({
			replyTo({ at }) {
				recent.push(at);
				return { slow: 2 * recent.filter((other) => other > at - 100).length };
			},
		});
		await scenario.run(paths(1_000));
		expect(
			Math.max(...recent.map((at) => recent.filter((other) => other === at).length)),
		).toBeLessThanOrEqual(40);
	});

	test('does not count those that hang', async () => {
		const scenario = await new Scenario(failing([paths(10), HANGS])).run(paths(300));
		expect(scenario.lastOf(paths(290, 10))).toBeLessThan(7);
		expect(scenario.service.log).toHaveLength(300);
	});
});

describe('Runs with the same base URL and key', () => {
	test('take turns: a short one does not wait for a long one that began before it', async () => {
		const scenario = new Scenario({ limit: { requests: 10, seconds: 1 } });
		const [long, short] = [paths(300), paths(10, 300)];
		await Promise.all([scenario.run(long), scenario.run(short)]);
		expect(scenario.lastOf(short)).toBeLessThan(7);
		expect(scenario.lastOf(long)).toBeGreaterThan(25);
	});

	test('send a write right after its read, before what other runs wait for', async () => {
		const scenario = new Scenario({ limit: { requests: 1, seconds: 1 } });
		await Promise.all([scenario.run(paths(20)), scenario.run(['/u/'], 'update')]);
		const { log } = scenario.service;
		const write = log.findIndex(({ method }) => method === 'PUT');
		expect(log[write - 1]).toMatchObject({ path: '/u/', method: 'GET' });
	});

	test('do not wait for what one that was stopped met', async () => {
		const headers = { 'retry-after': '200' };
		const scenario = new Scenario({
			replyTo: ({ path }) => (path === '/0/' ? { status: 429, headers } : {}),
		});
		const stopped = scenario.process.join();
		const request = stopped.get('/0/');
		await scenario.clock.sleep(500);
		stopped.leave();
		await expect(request).rejects.toThrow('The run was stopped');
		await scenario.run(['/1/']);
		expect(scenario.lastOf(['/1/'])).toBeLessThan(1);
		await scenario.clock.sleep(1);
		expect(scenario.clock.sleeping).toBe(0);
	});

	test('keep their pace when the clock is set back', async () => {
		const headers = { 'retry-after': '2' };
		let requests = 0;
		const scenario = new Scenario({
			replyTo: () => (++requests % 50 === 0 ? { status: 429, headers } : {}),
		});
		const { clock } = scenario;
		const setBack = (time: number) => (time > 3_000 ? time - 3_600_000 : time);
		jest.spyOn(clock, 'now').mockImplementation(() => setBack(clock.elapsed()));
		await scenario.run(paths(200));
		expect(scenario.errors.size).toBe(0);
		expect(clock.elapsed()).toBeLessThan(20_000);
	});
});

describe('What comes before a request is sent', () => {
	const request = { method: 'GET', path: '/0/', subject: 'x' } as const;
	const clientOf = ({ clock, service }: Scenario) => {
		const pool = new PermitPool(clock);
		const run = pool.join(1);
		const client = createApiClient('http://x', service.transport, pool, run).within(300_000);
		return { ...client, leave: () => void pool.leave(run) };
	};

	test('may withdraw it, which takes no place', async () => {
		const scenario = new Scenario({});
		const { send, leave } = clientOf(scenario);
		await expect(send({ ...request, shouldSend: () => false })).rejects.toThrow('withdrawn');
		await send(request);
		expect(scenario.service.log).toHaveLength(1);
		leave();
	});

	test('may fail unexpectedly, although an earlier write may have been processed', async () => {
		const scenario = new Scenario({
			replyTo: ({ method }) => (method === 'PUT' ? UNAVAILABLE : {}),
		});
		const { leave, ...client } = clientOf(scenario);
		const mistake = new TypeError('Unexpected');
		let writes = 0;
		const updating = readThenWrite(client, scenario.clock, request, async (_response, send) => {
			if (++writes > 1) throw mistake;
			return await send({ ...request, method: 'PUT' });
		});
		await expect(updating).rejects.toBe(mistake);
		leave();
	});
});
