import { createSandbox, SEED } from '../../sandbox/service';
import type { FaultAction, SandboxHandle } from '../../sandbox/service';
import { clientOf, parseObject } from './support';

describe('the misbehaviour of the sandbox', () => {
	let sandbox: SandboxHandle;
	let client: ReturnType<typeof clientOf>;

	beforeAll(async () => {
		sandbox = await createSandbox();
		client = clientOf(sandbox);
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());

	const act = (action: FaultAction) => sandbox.control.addFault({ action });
	const remove = async () => await client.bulkDelete({ ids: [SEED.running] });
	const isThere = () => sandbox.control.instance(SEED.running) !== undefined;

	describe('actions', () => {
		it('responds as told, and does no work', async () => {
			act({
				type: 'respond',
				status: 503,
				headers: { 'Retry-After': '7', 'X-Extra': 'yes' },
				body: '{"message":"busy"}',
			});
			const { status, headers, text } = await remove();

			expect(status).toBe(503);
			expect(headers).toMatchObject({
				'retry-after': '7',
				'x-extra': 'yes',
				'content-type': 'application/json',
			});
			expect(text).toBe('{"message":"busy"}');
			expect(isThere()).toBe(true);
		});

		it('responds with other content types', async () => {
			act({ type: 'respond', status: 502, body: '<h1>Bad</h1>', contentType: 'text/html' });
			const { status, headers, text } = await client.get(SEED.running);
			expect([status, headers['content-type'], text]).toEqual([502, 'text/html', '<h1>Bad</h1>']);
		});

		it('resets the connection before it answers, and does no work', async () => {
			act({ type: 'reset' });
			await expect(remove()).rejects.toMatchObject({ code: 'ECONNRESET' });
			expect(isThere()).toBe(true);
			expect(sandbox.control.log()).toMatchObject([{ status: null, fault: 'reset' }]);
			expect(sandbox.control.stats().inFlight).toBe(0);
		});

		it('resets the connection in the middle of the body, after the work', async () => {
			act({ type: 'resetDuring' });
			await expect(remove()).rejects.toMatchObject({ code: 'ECONNRESET' });
			expect(isThere()).toBe(false);
		});

		it('sends the head before such a reset', async () => {
			act({ type: 'resetDuring' });
			const authorization = `Api-Key ${sandbox.apiKey}`;
			const response = await fetch(`${sandbox.baseUrl}/instances/${SEED.running}/`, {
				headers: { authorization },
			});
			expect(response.status).toBe(200);
			await expect(response.text()).rejects.toThrow('terminated');
		});

		it('hangs', async () => {
			act({ type: 'hang' });
			const signal = AbortSignal.timeout(2_000);
			const sent = client.call(`/instances/${SEED.running}/`, { signal });
			await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
			expect(sandbox.control.log()).toMatchObject([{ status: null, fault: 'hang' }]);
		});

		it('cuts the JSON text in a complete answer', async () => {
			act({ type: 'truncate' });
			const { status, headers, text } = await client.get(SEED.running);

			expect(status).toBe(200);
			expect(headers['content-type']).toBe('application/json');
			expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
			expect(text).toMatch(/^\{"process":/);
			expect(() => parseObject(text)).toThrow(SyntaxError);
		});

		it('answers cut JSON even where the answer has no body', async () => {
			act({ type: 'truncate' });
			const { status, text } = await remove();
			expect(status).toBe(200);
			expect(() => parseObject(text)).toThrow(SyntaxError);
			expect(isThere()).toBe(false);
		});

		it.each([
			[{ type: 'redirect', location: 'https://elsewhere.example/' } as const, 302],
			[{ type: 'redirect', status: 308, location: 'https://elsewhere.example/' } as const, 308],
		])('redirects with %j', async (action, expected) => {
			act(action);
			const { status, headers } = await client.get(SEED.running);
			expect(status).toBe(expected);
			expect(headers.location).toBe('https://elsewhere.example/');
		});

		it('answers with an empty body', async () => {
			act({ type: 'emptyBody' });
			const plain = await client.get(SEED.running);
			expect([plain.status, plain.text]).toEqual([200, '']);
			expect(plain.headers['content-type']).toBe('application/json');

			act({ type: 'emptyBody', status: 500 });
			expect((await client.get(SEED.running)).status).toBe(500);
		});

		it('answers late', async () => {
			act({ type: 'delay', ms: 60 });
			const start = performance.now();
			expect((await client.get(SEED.running)).status).toBe(200);
			expect(performance.now() - start).toBeGreaterThanOrEqual(55);
		});

		it.each([
			[{ type: 'respond', status: 500, body: '{}' } as const, 500],
			[{ type: 'redirect', location: '/' } as const, 302],
			[{ type: 'emptyBody', status: 200 } as const, 200],
		])('does the work, then answers with %j', async (then, expected) => {
			act({ type: 'applyThen', then });
			expect((await remove()).status).toBe(expected);
			expect(isThere()).toBe(false);
		});

		it('does the work, then resets the connection', async () => {
			act({ type: 'applyThen', then: { type: 'reset' } });
			await expect(remove()).rejects.toMatchObject({ code: 'ECONNRESET' });
			expect(isThere()).toBe(false);
		});

		it('does the work once, even when the answer is cut as well', async () => {
			act({ type: 'applyThen', then: { type: 'truncate' } });
			const { text } = await client.put(SEED.running, {
				process: client.process(SEED.processes.onboarding),
				name: 'Renamed',
			});
			expect(text).toContain('"name":"Renamed"');
			expect(sandbox.control.instance(SEED.running)?.name).toBe('Renamed');
		});
	});

	describe('latency', () => {
		it('delays every answer, and lets requests overlap', async () => {
			sandbox.control.setLatency(60);
			const start = performance.now();
			await Promise.all(SEED.all.slice(0, 5).map(async (id) => await client.get(id)));
			const took = performance.now() - start;

			expect(took).toBeGreaterThanOrEqual(55);
			expect(took).toBeLessThan(280);
			expect(sandbox.control.stats()).toMatchObject({ inFlight: 0, maxInFlight: 5 });
		});
	});

	describe('rate limit', () => {
		const flood = async (count: number) =>
			await Promise.all(Array.from({ length: count }, () => client.get(SEED.running)));

		it('answers 429 above the limit, with the seconds to wait', async () => {
			sandbox.control.setRateLimit({ perSecond: 3 });
			const answers = await flood(5);
			const refused = answers.filter(({ status }) => status === 429);

			expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
			expect(refused).toHaveLength(2);
			expect(refused[0]?.headers['retry-after']).toBe('1');
			expect(parseObject(refused[0]?.text ?? '')).toHaveProperty('detail');
			expect(sandbox.control.log().filter(({ fault }) => fault === 'rateLimit')).toHaveLength(2);
		});

		it('lets requests through again after the time named', async () => {
			sandbox.control.setRateLimit({ perSecond: 1 });
			await flood(2);
			await new Promise((resolve) => setTimeout(resolve, 1010));
			expect((await client.get(SEED.running)).status).toBe(200);
		});

		it('names the time as a date that is not too early', async () => {
			sandbox.control.setRateLimit({ perSecond: 0, retryAfter: 'date' });
			const earliest = Date.now() + 1000;
			const { headers } = await client.get(SEED.running);
			const named = Date.parse(String(headers['retry-after']));
			expect(named).toBeGreaterThanOrEqual(earliest);
			expect(named).toBeLessThan(earliest + 2000);
		});

		it.each([
			[{ retryAfter: 'none' } as const, undefined],
			[{ retryAfter: 'zero' } as const, '0'],
			[{ retryAfterSeconds: 120 } as const, '120'],
		])('with %j names %s', async (kind, named) => {
			sandbox.control.setRateLimit({ perSecond: 0, ...kind });
			expect((await client.get(SEED.running)).headers['retry-after']).toBe(named);
		});

		it('names a date in the past when told to', async () => {
			sandbox.control.setRateLimit({ perSecond: 0, retryAfter: 'pastDate' });
			const { headers } = await client.get(SEED.running);
			expect(Date.parse(String(headers['retry-after']))).toBeLessThan(Date.now());
		});

		it('does not use up faults for what it refuses', async () => {
			sandbox.control.setRateLimit({ perSecond: 0 });
			act({ type: 'reset' });
			expect((await client.get(SEED.running)).status).toBe(429);
			expect(sandbox.control.faults()).toHaveLength(1);
		});
	});

	describe('snapshot shape', () => {
		it.each([
			['text', 'string', 'string'],
			['object', 'object', 'object'],
			['array', 'array', 'array'],
		] as const)('answers the snapshot fields as %s', async (shape, ...expected) => {
			const kind = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
			sandbox.control.setSnapshotShape(shape);
			const read = parseObject((await client.get(SEED.running)).text);
			const update = { process: client.process(SEED.processes.onboarding) };
			const updated = parseObject((await client.put(SEED.running, update)).text);

			expect([kind(read.process_snapshot), kind(read.step_deadlines)]).toEqual(expected);
			expect([kind(updated.process_snapshot), kind(updated.step_deadlines)]).toEqual(expected);
		});
	});
});
