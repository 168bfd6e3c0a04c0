import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import { PermitPool } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import type { ApiMethod } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import { VirtualClock } from '../harness/virtualClock';

const LATENCY_MS = 20;

/** What the service says to a request: a status (200 by default), and how many seconds to wait. */
interface Reply {
	status?: number | 'times out' | 'hangs' | 'resets';
	after?: number;
}

interface Sent {
	/** In milliseconds since the start. */
	at: number;
	method: ApiMethod;
	path: string;
	reply: Reply;
}

/** Says what comes of a request, and knows what was sent before it. */
type Service = (sent: Omit<Sent, 'reply'>, log: Sent[]) => Reply;

/** Runs at a service that is told what to reply, on a clock of its own. */
class Scenario {
	readonly log: Sent[] = [];

	/** When each path had its response, in milliseconds since the start. */
	readonly endedAt = new Map<string, number>();

	readonly errors = new Map<string, string>();

	readonly clock = new VirtualClock({ start: 0 });

	private inFlight = 0;

	mostInFlight = 0;

	readonly pool = new PermitPool(this.clock);

	constructor(
		private readonly reply: Service,
		private readonly latency = LATENCY_MS,
	) {}

	/** Lets a run ask for each path, or read and write it, and ends when all have a response. */
	async run(
		paths: string[],
		{
			method = 'GET' as ApiMethod,
			isOneByOne = false,
			maxRetries = 4,
			maxWait = 300_000,
			ceiling = 100,
			stop = new AbortController(),
		} = {},
	): Promise<this> {
		const run = this.pool.join(0);
		stop.signal.addEventListener('abort', () => this.pool.close(run));
		const sender = { continues: true };
		const transport = async (request: ApiRequest) => await this.respond(request);
		const bounds = { maxRetries, maxWait, maxConcurrentRequests: ceiling };
		const client = createApiClient('https://x.test', transport, this.pool, run, sender).within(
			bounds,
		);
		const request = (path: string, as = method) => ({ method: as, path, subject: path });
		const ask = async (path: string) => {
			const response =
				method === 'PUT'
					? client.readThenWrite(request(path, 'GET'), () => request(path))
					: client.send(request(path));
			await response.catch((error: Error) => this.errors.set(path, error.message));
			this.endedAt.set(path, this.clock.now());
		};
		if (isOneByOne) for (const path of paths) await ask(path);
		else await Promise.all(paths.map(ask));
		this.pool.leave(run);
		return this;
	}

	/** When something was sent for a path. */
	triesOf(path: string): number[] {
		return this.log.filter((sent) => sent.path === path).map(({ at }) => at);
	}

	/** How long after each try for a path the next one was sent, in seconds. */
	waitsOf(path: string): number[] {
		const tries = this.triesOf(path);
		return tries.slice(1).map((at, index) => Math.round((at - Number(tries[index])) / 100) / 10);
	}

	/** When the last of these paths had its response. */
	lastOf(paths: string[]): number {
		return Math.max(...paths.map((path) => this.endedAt.get(path) ?? Infinity));
	}

	private async respond({ method, path }: ApiRequest) {
		const sent = { at: this.clock.elapsed(), method, path };
		const reply = this.reply(sent, this.log);
		const { status = 200, after } = reply;
		this.log.push({ ...sent, reply });
		this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
		await this.clock.sleep(status === 'hangs' ? 300_000 : this.latency);
		this.inFlight--;
		if (status === 'resets') return { networkCode: 'ECONNRESET', words: '' };
		if (typeof status === 'string') return { networkCode: 'ECONNABORTED', words: '' };
		return {
			status,
			headers: after === undefined ? {} : { 'retry-after': String(after) },
			text: '{}',
			isGarbled: false,
			quotable: () => '',
		};
	}
}

const paths = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `/${from + index}/`);

/** A limit of so many requests in any so many seconds, of all methods or one. */
const limited =
	(count: number, seconds: number, refusal: Reply, of?: ApiMethod): Service =>
	({ at, method }, log) => {
		if (of !== undefined && method !== of) return {};
		const counted = log.filter((sent) => of === undefined || sent.method === of);
		const since = at - seconds * 1_000;
		const admitted = counted.filter((sent) => sent.at > since && sent.reply !== refusal);
		return admitted.length >= count ? refusal : {};
	};

const UNAVAILABLE = { status: 503 } as const;

describe('an instance that is always rejected', () => {
	const unavailableOnes = (unavailable: string[], reply: Reply = UNAVAILABLE): Service => {
		const known = new Set(unavailable);
		return ({ path }) => (known.has(path) ? reply : {});
	};

	test.each<[Reply, number[]]>([
		[UNAVAILABLE, [1, 2, 4, 8]],
		[{ status: 429, after: 3 }, [3, 3, 3, 3]],
	])('(%j) holds up nobody, and is given up after its own retries', async (reply, waits) => {
		const [unavailable, ...healthy] = paths(300);
		const alone = await new Scenario(unavailableOnes([])).run(healthy);
		const scenario = await new Scenario(unavailableOnes(['/0/'], reply)).run(paths(300));
		expect([...scenario.errors.keys()]).toEqual([unavailable]);
		expect(scenario.log.every(({ method }) => method === 'GET')).toBe(true);
		expect(scenario.waitsOf('/0/')).toEqual(waits);
		expect(scenario.lastOf(healthy)).toBe(alone.lastOf(healthy) + LATENCY_MS);
		// Some are read once more, to compare.
		expect(scenario.log.length).toBeLessThanOrEqual(300 + 5 + 4 * 6);
	});

	test('holds up nobody beside a limit of 10 a second, even if a third ask to wait for an hour', async () => {
		const all = paths(300);
		const unavailable = new Set(all.filter((_, index) => (index * index * 31) % 101 < 33));
		const atLimit = limited(10, 1, { status: 429 });
		const scenario = await new Scenario((sent, log) =>
			unavailable.has(sent.path) ? { status: 429, after: 3_600 } : atLimit(sent, log),
		).run(all);
		const healthy = all.filter((path) => !unavailable.has(path));
		expect(healthy.filter((path) => scenario.errors.has(path))).toEqual([]);
		expect(scenario.lastOf(healthy)).toBeLessThan(60_000);
	});

	test('beside a limit of 10 a second is given up, even if only such ones are left', async () => {
		const unavailable = paths(100).filter((_, index) => (index * index * 31) % 101 < 33);
		const atLimit = limited(10, 1, { status: 429 });
		const scenario = await new Scenario((sent, log) =>
			unavailable.includes(sent.path) ? UNAVAILABLE : atLimit(sent, log),
		).run(paths(100));
		expect([...scenario.errors.keys()].sort()).toEqual(unavailable.sort());
		expect(scenario.clock.now()).toBeLessThan(200_000);
	});

	test.each(['times out', 'hangs'] as const)('(%s) holds up nobody', async (status) => {
		const [unavailable, healthy] = [paths(10), paths(290, 10)];
		const scenario = await new Scenario(unavailableOnes(unavailable, { status })).run([
			...unavailable,
			...healthy,
		]);
		expect([...scenario.errors.keys()].sort()).toEqual(unavailable);
		expect(scenario.lastOf(healthy)).toBeLessThan(1_500);
		expect(scenario.log.length).toBeLessThanOrEqual(301);
	});
});

describe('a rate limit', () => {
	test.each<[ApiMethod, number | undefined, number, number]>([
		['GET', undefined, 50, 40],
		['GET', 1, 60, 40],
		['PUT', undefined, 100, 80],
		['PUT', 1, 100, 80],
	])(
		'of one a second costs no item of 25 (%s, Retry-After: %p), and at most %d requests',
		async (method, after, requests, seconds) => {
			const service = limited(1, 1, { status: 429, after });
			const scenario = await new Scenario(service).run(paths(25), { method, maxWait: 15_000 });
			expect([...scenario.errors.keys()]).toEqual([]);
			expect(scenario.clock.now()).toBeLessThan(seconds * 1_000);
			expect(scenario.log.length).toBeLessThanOrEqual(requests);
		},
	);

	test.each<[string, Service, number, { method: ApiMethod; isOneByOne?: boolean }, number]>([
		['220 Gets at 100 a minute', limited(100, 60, { status: 429 }), 220, { method: 'GET' }, 200],
		['50 updates at one a second', limited(1, 1, { status: 429 }), 50, { method: 'PUT' }, 200],
		[
			'150 updates at 100 a minute',
			limited(100, 60, { status: 429, after: 5 }),
			150,
			{ method: 'PUT' },
			400,
		],
		[
			'30 updates at 10 writes a minute',
			limited(10, 60, { status: 429 }, 'PUT'),
			30,
			{ method: 'PUT' },
			400,
		],
		[
			'20 deletions at 5 a minute',
			limited(5, 60, UNAVAILABLE),
			20,
			{ method: 'POST', isOneByOne: true },
			400,
		],
	])('loses none of %s', async (_limit, service, count, options, seconds) => {
		const scenario = await new Scenario(service).run(paths(count), options);
		expect([...scenario.errors]).toEqual([]);
		expect(scenario.clock.now()).toBeLessThan(seconds * 1_000);
	});

	test('that lets nothing through has until Max Wait', async () => {
		const scenario = await new Scenario(() => UNAVAILABLE).run(paths(50), { maxWait: 60_000 });
		expect(scenario.errors.size).toBe(50);
		expect(scenario.clock.now()).toBeGreaterThan(40_000);
		expect(scenario.clock.now()).toBeLessThan(61_000);
		expect(scenario.log.length).toBeLessThanOrEqual(50);
	});
});

test('sends more and more at once, even if each response is handled before the next one comes', async () => {
	const clock = new VirtualClock({ start: 0 });
	const pool = new PermitPool(clock);
	const run = pool.join(0);
	let responses: Promise<void> | undefined;
	const handled = async () => {
		for (let microtasks = 0; microtasks < 50; microtasks++) await Promise.resolve();
	};
	const transport = async () => {
		responses ??= clock.sleep(200).then(() => void (responses = undefined));
		const mine = responses;
		responses = mine.then(handled);
		await mine;
		return { status: 200, headers: {}, text: '{}', isGarbled: false, quotable: () => '' };
	};
	const limits = { maxRetries: 4, maxWait: 300_000, maxConcurrentRequests: 100 };
	const sender = { continues: true };
	const client = createApiClient('https://x.test', transport, pool, run, sender).within(limits);
	const read = async (path: string) => await client.send({ method: 'GET', path, subject: path });
	await Promise.all(paths(1_000).map(read));
	pool.leave(run);
	expect(clock.now()).toBeLessThan(4_000);
});

test('never sends more than Max Concurrent Requests at once, not even to compare rejections', async () => {
	const service: Service = ({ path }, log) => {
		if (path === '/0/') return {};
		const before = log.filter((sent) => sent.path === path).length;
		return path === '/1/' && before > 2 ? { status: 'hangs' } : UNAVAILABLE;
	};
	const scenario = await new Scenario(service).run(paths(6), { ceiling: 1 });
	expect(scenario.mostInFlight).toBe(1);
	expect([...scenario.errors.keys()].sort()).toEqual(paths(5, 1));
});

test('gives up an update whose write is always rejected, and the others do not wait for it', async () => {
	const service: Service = ({ path, method }) =>
		path === '/3/' && method === 'PUT' ? UNAVAILABLE : {};
	const scenario = await new Scenario(service).run(paths(30), { method: 'PUT' });
	expect([...scenario.errors.keys()]).toEqual(['/3/']);
	expect(scenario.lastOf(paths(30).filter((path) => path !== '/3/'))).toBeLessThan(1_000);
	expect(scenario.clock.now()).toBeLessThan(60_000);
});

test('gives up an update whose write is always rejected, although a limit is known', async () => {
	const atLimit = limited(10, 1, { status: 429 });
	const service: Service = (sent, log) =>
		sent.path === '/3/' && sent.method === 'PUT' ? UNAVAILABLE : atLimit(sent, log);
	const scenario = await new Scenario(service).run(paths(30), { method: 'PUT' });
	expect([...scenario.errors.keys()]).toEqual(['/3/']);
	expect(scenario.clock.now()).toBeGreaterThan(60_000);
	expect(scenario.clock.now()).toBeLessThan(150_000);
});

test.each([0, 1])(
	'never takes the read of an update for its write (%d retries)',
	async (maxRetries) => {
		const unavailable = new Set(paths(300).filter((_, index) => index % 20 === 10));
		const atLimit = limited(5, 1, { status: 429 });
		const service: Service = (sent, log) =>
			unavailable.has(sent.path) && sent.method === 'PUT'
				? { status: 503, after: 3 }
				: atLimit(sent, log);
		const scenario = await new Scenario(service, 3_000).run(paths(300), {
			method: 'PUT',
			maxRetries,
		});
		const isWritten = ({ method, reply }: Sent) => method === 'PUT' && reply.status === undefined;
		const written = new Set(scenario.log.filter(isWritten).map(({ path }) => path));
		const unwritten = paths(300).filter((path) => !written.has(path));
		expect([...scenario.errors.keys()].sort()).toEqual(unwritten.sort());
	},
);

test('gives up an update whose write is always rejected, while deletions get through', async () => {
	const scenario = new Scenario(({ method }) => (method === 'PUT' ? UNAVAILABLE : {}), 1_000);
	const deletions = scenario.run(paths(600, 1), { method: 'POST', isOneByOne: true });
	await scenario.run(['/0/'], { method: 'PUT' });
	expect(scenario.errors.get('/0/')).toContain('not available');
	expect(scenario.clock.now()).toBeLessThan(120_000);
	await deletions;
});

describe('what one run meets does not harm the next', () => {
	test('a run that ends while it backs off leaves no wait behind', async () => {
		const scenario = new Scenario(({ path }) => (path === '/0/' ? UNAVAILABLE : {}));
		const { clock } = scenario;
		const stop = new AbortController();
		const stopped = scenario.run(['/0/'], { stop });
		const idle = scenario.pool.join(0);
		await clock.sleep(500);
		stop.abort();
		await stopped;
		await clock.sleep(3_600_000);
		await scenario.run(['/1/']);
		scenario.pool.leave(idle);
		expect([...scenario.errors.keys()]).toEqual(['/0/']);
	});

	test('a run is not refused for how long another one has waited', async () => {
		const patient = { status: 503, after: 120 };
		const scenario = new Scenario(({ path }) => (path === '/0/' ? patient : {}));
		const other = scenario.run(['/0/']);
		await scenario.clock.sleep(15_000);
		await scenario.run(['/1/'], { maxWait: 10_000 });
		expect([...scenario.errors.keys()]).toEqual([]);
		await other;
	});

	test('idle time says nothing about the rate', async () => {
		const service = limited(10, 1, { status: 429 });
		const scenario = new Scenario(service);
		const idle = scenario.pool.join(0);
		await scenario.run(paths(2));
		await scenario.clock.sleep(600_000);
		const before = scenario.clock.now();
		await scenario.run(paths(100, 2));
		scenario.pool.leave(idle);
		expect(scenario.clock.now() - before).toBeLessThan(25_000);
	});

	test('a rate that nobody reaches does not grow', async () => {
		const scenario = new Scenario(limited(1, 1, { status: 429 }));
		const idle = scenario.pool.join(0);
		await scenario.run(paths(20));
		for (const path of paths(60, 20)) {
			await scenario.clock.sleep(5_000);
			await scenario.run([path]);
		}
		const sent = scenario.log.length;
		await scenario.run(paths(20, 80));
		scenario.pool.leave(idle);
		expect(scenario.log.length - sent).toBeLessThan(30);
	});
});

test('gives up a read that is always rejected, although what was read before is gone', async () => {
	const replies: Record<string, Reply> = { '/0/': { status: 404 }, '/1/': UNAVAILABLE };
	const scenario = new Scenario(({ path }) => replies[path] ?? {});
	await scenario.run(['/0/', '/1/'], { isOneByOne: true });
	expect(scenario.errors.get('/1/')).toContain('not available');
	expect(scenario.clock.now()).toBeLessThan(60_000);
});

test('gives up a write that is always rejected beside others that come seldom', async () => {
	const scenario = new Scenario(({ path }) => (path === '/0/' ? UNAVAILABLE : {}), 6_000);
	const others = scenario.run(paths(100, 1), { method: 'POST', isOneByOne: true });
	await scenario.run(['/0/'], { method: 'POST' });
	expect(scenario.errors.get('/0/')).toContain('not available');
	expect(scenario.clock.now()).toBeLessThan(300_000);
	await others;
});

test('never takes the request that shows a limit for one that is always rejected', async () => {
	const scenario = new Scenario(({ at }) => (at < 500 ? { status: 429 } : {}));
	await scenario.run(paths(10), { maxRetries: 0 });
	expect([...scenario.errors.keys()]).toEqual([]);
});

test('keeps a pause, although updates that were read before it are still written', async () => {
	const scenario = new Scenario(({ at, method }, log) => {
		const writes = log.filter((sent) => sent.method === 'PUT').length;
		return method === 'PUT' && at < 10_000 && writes < 20 ? { status: 429, after: 10 } : {};
	});
	await scenario.run(paths(10), { method: 'PUT' });
	expect([...scenario.errors.keys()]).toEqual([]);
	expect(scenario.log.filter(({ at }) => at > 1_000 && at < 9_000)).toEqual([]);
});

test('sends nothing more for a run that was stopped', async () => {
	const scenario = new Scenario(() => ({}));
	const stop = new AbortController();
	const running = scenario.run(paths(2), { isOneByOne: true, stop });
	stop.abort();
	await running;
	expect(scenario.log).toHaveLength(1);
	expect([...scenario.errors.keys()]).toEqual(['/1/']);
});

test('leaves no timer behind when the last run has ended', async () => {
	const scenario = await new Scenario(() => ({ status: 429, after: 3600 })).run(paths(3));
	await scenario.clock.sleep(1);
	expect(scenario.clock.sleeping).toBe(0);
});

test.each<[string, (index: number) => boolean, number]>([
	['some ten', (index) => index % 100 === 7, 60_000],
	['the first ten', (index) => index < 10, 120_000],
])(
	'1,000 instances are read within a minute, but for %s that always answer 503',
	async (_which, isUnavailable, end) => {
		const unavailable = new Set(paths(1_000).filter((_, index) => isUnavailable(index)));
		const scenario = await new Scenario(({ path }) =>
			unavailable.has(path) ? UNAVAILABLE : {},
		).run(paths(1_000));
		expect([...scenario.errors.keys()].sort()).toEqual([...unavailable].sort());
		const healthy = paths(1_000).filter((path) => !unavailable.has(path));
		expect(scenario.lastOf(healthy)).toBeLessThan(60_000);
		expect(scenario.clock.now()).toBeLessThan(end);
		expect(scenario.log.length).toBeLessThanOrEqual(1_300);
	},
);

test('400 instances are read within ten seconds beside three that answer 503 and one that hangs', async () => {
	const replies: Record<string, Reply> = {
		'/0/': UNAVAILABLE,
		'/1/': UNAVAILABLE,
		'/2/': UNAVAILABLE,
	};
	const service: Service = ({ path }) =>
		path === '/12/' ? { status: 'hangs' } : (replies[path] ?? {});
	const scenario = await new Scenario(service).run(paths(404));
	const healthy = paths(404).filter((path) => path !== '/12/' && !(path in replies));
	expect(scenario.lastOf(healthy)).toBeLessThan(10_000);
	expect([...scenario.errors.keys()].sort()).toEqual(['/0/', '/1/', '/12/', '/2/']);
});

test('runs take turns: a short one does not wait for a long one that began before it', async () => {
	const service = limited(10, 1, { status: 429 });
	const scenario = new Scenario(service);
	const [long, short] = [paths(300), paths(10, 300)];
	await Promise.all([scenario.run(long), scenario.run(short)]);
	expect(scenario.errors.size).toBe(0);
	expect(scenario.lastOf(short)).toBeLessThan(7_000);
	expect(scenario.lastOf(long)).toBeGreaterThan(25_000);
});

test('a clock that is set back by an hour changes nothing about waits', async () => {
	const scenario = new Scenario(limited(10, 1, { status: 429, after: 1 }));
	const { clock } = scenario;
	const setBack = (time: number) => (time > 2_000 ? time - 3_600_000 : time);
	jest.spyOn(clock, 'now').mockImplementation(() => setBack(clock.elapsed()));
	await scenario.run(paths(100));
	expect(scenario.errors.size).toBe(0);
	expect(clock.elapsed()).toBeLessThan(20_000);
});
