import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import { MinuteLimit } from '../../nodes/WorkflowInstanceService/api/pace/minuteLimit';
import { PermitPool } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import type { ApiMethod } from '../../nodes/WorkflowInstanceService/api/errors';
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
class Scene {
	readonly log: Sent[] = [];

	/** When each path had its response, in milliseconds since the start. */
	readonly endedAt = new Map<string, number>();

	readonly errors = new Map<string, string>();

	readonly clock = new VirtualClock({ start: 0 });

	private inFlight = 0;

	mostInFlight = 0;

	private readonly limiter = new PermitPool(this.clock, new MinuteLimit());

	constructor(
		private readonly reply: Service,
		private readonly latency = LATENCY_MS,
	) {}

	/** Lets a run ask for each path, and ends when all have a response. */
	async run(
		paths: string[],
		{ method = 'GET' as ApiMethod, maxRetries = 4, maxWait = 300_000, ceiling = 100 } = {},
	): Promise<this> {
		const line = this.limiter.join();
		const sender = { continues: true };
		const transport = async (request: ApiRequest) => await this.respond(request);
		const client = createApiClient('https://x.test', transport, line, sender, this.clock);
		const bounds = { maxRetries, maxWait, maxConcurrentRequests: ceiling };
		const asking = paths.map(async (path) => {
			const sent = client.send({ method, path, subject: path }, bounds);
			await sent.catch((error: Error) => this.errors.set(path, error.message));
			this.endedAt.set(path, this.clock.now());
		});
		await Promise.all(asking);
		line.leave();
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
		const sent = { at: this.clock.now(), method, path };
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
			receivedAt: this.clock.now(),
			quotable: () => '',
		};
	}
}

const paths = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `/${from + index}/`);

/** A limit of so many requests in any second, and what else becomes of some. */
const limited =
	(count: number, refusal: Reply, replies: Record<string, Reply> = {}): Service =>
	({ at, path }, log) => {
		const admitted = log.filter((sent) => sent.at > at - 1_000 && sent.reply !== refusal);
		return admitted.length >= count ? refusal : (replies[path] ?? {});
	};

const BUSY = { status: 429 } as const;
const BUSY_A_SECOND = { status: 429, after: 1 } as const;
const SICK = { status: 503 } as const;

describe('an instance that is always pushed back', () => {
	const sickOnes = (sick: string[], reply: Reply = SICK): Service => {
		const known = new Set(sick);
		return ({ path }) => (known.has(path) ? reply : {});
	};

	test.each<[Reply, number[]]>([
		[SICK, [1, 2, 4, 8]],
		[{ status: 429, after: 3 }, [3, 3, 3, 3]],
	])('(%j) holds up nobody, and is given up after its own retries', async (reply, waits) => {
		const [sick, ...healthy] = paths(300);
		const alone = await new Scene(sickOnes([])).run(healthy);
		const scene = await new Scene(sickOnes(['/0/'], reply)).run(paths(300));
		expect([...scene.errors.keys()]).toEqual([sick]);
		expect(scene.log.every(({ method }) => method === 'GET')).toBe(true);
		expect(scene.waitsOf('/0/')).toEqual(waits);
		expect(scene.lastOf(healthy)).toBe(alone.lastOf(healthy) + LATENCY_MS);
		// Some are read once more, to compare.
		expect(scene.log.length).toBeLessThanOrEqual(300 + 5 + 4 * 6);
	});

	test.each(['times out', 'hangs'] as const)('(%s) holds up nobody', async (status) => {
		const [sick, healthy] = [paths(10), paths(290, 10)];
		const scene = await new Scene(sickOnes(sick, { status })).run([...sick, ...healthy]);
		expect([...scene.errors.keys()].sort()).toEqual(sick);
		expect(scene.lastOf(healthy)).toBeLessThan(1_500);
		expect(scene.log.length).toBeLessThanOrEqual(301);
	});

	// Where nothing was read, its retries count by themselves until there are others to compare with.
	test.each([
		[9, 15],
		[10, 55],
	])('(a write) is given up beside %d others after %d seconds', async (others, seconds) => {
		const bounds = { method: 'PUT', maxWait: 60_000 } as const;
		const scene = await new Scene(sickOnes(['/0/'])).run(paths(1 + others), bounds);
		expect([...scene.errors.keys()]).toEqual(['/0/']);
		expect(Math.floor(scene.clock.now() / 1000)).toBe(seconds);
	});

	test.each<[ApiMethod, number]>([
		['GET', 40_000],
		// Without a read that it could be compared with, it has until Max Wait.
		['PUT', 75_000],
	])('is given up beside a rate limit, too (%s)', async (method, time) => {
		const service = limited(10, BUSY_A_SECOND, { '/3/': SICK, '/50/': SICK });
		const scene = await new Scene(service).run(paths(100), { method, maxWait: 60_000 });
		expect([...scene.errors.keys()].sort()).toEqual(['/3/', '/50/']);
		expect(scene.clock.now()).toBeLessThan(time);
	});
});

describe('a rate limit', () => {
	test.each([
		[700, 0, 65_000, 90],
		[500, 0, 66_000, 115],
		[LATENCY_MS, 2, 45_000, 120],
	])('of one a second (%d ms, %d sick) holds up nobody', async (latency, count, time, requests) => {
		const sick = Object.fromEntries(paths(count).map((path) => [path, SICK]));
		const scene = await new Scene(limited(1, BUSY, sick), latency).run(paths(30));
		const last = scene.lastOf(paths(30 - count, count));
		expect([...scene.errors.keys()].sort()).toEqual(paths(count));
		expect(last).toBeLessThan(time);
		expect(scene.log.filter(({ at }) => at < last).length).toBeLessThan(requests);
	});

	test.each([0, 30])(
		'that asks for longer than Max Wait ends all, when %d got through',
		async (free) => {
			const service: Service = (_, log) => (log.length < free ? {} : { status: 429, after: 3600 });
			const scene = await new Scene(service).run(paths(200));
			expect(scene.errors.size).toBe(200 - free);
			expect(scene.clock.now()).toBeLessThan(100);
			expect(scene.errors.get('/199/')).toContain('says to retry in 60 minutes');
			expect(scene.log.length).toBeLessThanOrEqual(75);
		},
	);

	test.each(['times out', 'resets'] as const)('in flight, above which it %s', async (status) => {
		const service: Service = ({ at }, log) =>
			log.filter((sent) => sent.at > at - LATENCY_MS).length < 15 ? {} : { status };
		const scene = await new Scene(service).run(paths(300));
		expect(scene.mostInFlight <= 40).toBe(status === 'times out');
	});

	test('of writes alone does not hold up reads, and costs no item', async () => {
		const isWrite = ({ method }: { method: ApiMethod }) => method === 'PUT';
		const ofWrites = limited(5, BUSY);
		const service: Service = (sent, log) =>
			isWrite(sent) ? ofWrites(sent, log.filter(isWrite)) : {};
		const scene = new Scene(service);
		await Promise.all([scene.run(paths(50), { method: 'PUT' }), scene.run(paths(200, 100))]);
		expect(scene.errors.size).toBe(0);
		expect(scene.clock.now()).toBeLessThan(13_000);
	});

	test.each([2, 50])('that lets none of %d through has until Max Wait', async (count) => {
		const scene = await new Scene(() => SICK).run(paths(count), { maxWait: 60_000 });
		expect(scene.errors.size).toBe(count);
		expect(scene.clock.now()).toBeGreaterThan(40_000);
		expect(scene.clock.now()).toBeLessThan(61_000);
		expect(scene.log.length).toBeLessThan(60);
	});
});
