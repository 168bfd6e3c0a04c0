import { type FaultAction, SEED } from '../../sandbox/service';
import { parseObject, type Received, useSandbox } from './support';

describe('the misbehaviour of the sandbox', () => {
	const service = useSandbox();
	const get = async (id = SEED.running) => await service.client.get(id);
	const remove = async () => await service.client.bulkDelete({ ids: [SEED.running] });
	const act = (action: FaultAction) => service.sandbox.control.addFault({ action });
	const isThere = () => service.sandbox.control.instance(SEED.running) !== undefined;
	const outcomeOf = async (sent: Promise<Received>) =>
		await sent.then(
			({ status, text }) => `${status} ${text}`.trim(),
			(cause: unknown) => String(Reflect.get(Object(cause), 'code')),
		);

	describe('actions', () => {
		const location = 'https://elsewhere.example/';
		const CUT = expect.stringMatching(/^200 \{"[^}]*$/);

		it.each<[action: FaultAction, outcome: unknown, isDone: boolean]>([
			[{ type: 'respond', status: 502, body: '<h1>Bad</h1>' }, '502 <h1>Bad</h1>', false],
			[{ type: 'reset' }, 'ECONNRESET', false],
			[{ type: 'redirect', location }, '302', false],
			[{ type: 'redirect', status: 308, location }, '308', false],
			[{ type: 'emptyBody', status: 500 }, '500', false],
			[{ type: 'resetDuring' }, 'ECONNRESET', true],
			[{ type: 'truncate' }, CUT, true],
			[{ type: 'applyThen', then: { type: 'respond', status: 500, body: '{}' } }, '500 {}', true],
			[{ type: 'applyThen', then: { type: 'redirect', location } }, '302', true],
			[{ type: 'applyThen', then: { type: 'emptyBody', status: 200 } }, '200', true],
			[{ type: 'applyThen', then: { type: 'reset' } }, 'ECONNRESET', true],
		])('%j is answered with %j, the work being done: %p', async (action, outcome, isDone) => {
			act(action);
			expect(await outcomeOf(remove())).toEqual(outcome);
			expect(isThere()).toBe(!isDone);
			expect(service.sandbox.control.log()).toMatchObject([{ fault: action.type }]);
			expect(service.sandbox.control.stats().inFlight).toBe(0);
		});

		it('responds with the headers and the content type given', async () => {
			act({ type: 'respond', status: 503, headers: { 'Retry-After': '7' }, contentType: 'a/b' });
			expect((await get()).headers).toMatchObject({ 'retry-after': '7', 'content-type': 'a/b' });
			act({ type: 'redirect', location });
			expect((await get()).headers).toMatchObject({ location });
		});

		it('hangs', async () => {
			act({ type: 'hang' });
			const signal = AbortSignal.timeout(2_000);
			const sent = service.client.call(`/instances/${SEED.running}/`, { signal });
			await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
			expect(service.sandbox.control.log()).toMatchObject([{ status: null, fault: 'hang' }]);
		});

		it('cuts the JSON text in a complete answer, and does the work once', async () => {
			const { client, sandbox } = service;
			act({ type: 'applyThen', then: { type: 'truncate' } });
			const process = client.process(SEED.processes.onboarding);
			const { status, headers, text } = await client.put(SEED.running, {
				process,
				name: 'Renamed',
			});
			expect(status).toBe(200);
			expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
			expect(text).toContain('"name":"Renamed"');
			expect(() => parseObject(text)).toThrow(SyntaxError);
			expect(sandbox.control.instance(SEED.running)?.name).toBe('Renamed');
		});

		it('answers late', async () => {
			act({ type: 'delay', ms: 60 });
			const start = performance.now();
			expect((await get()).status).toBe(200);
			expect(performance.now() - start).toBeGreaterThanOrEqual(55);
		});
	});

	describe('rules', () => {
		const teapot = { type: 'respond', status: 418 } as const;
		const statuses = async (count: number, id = SEED.running) => {
			const answers: number[] = [];
			while (answers.length < count) answers.push((await get(id)).status);
			return answers;
		};

		it('apply once, in the order in which they were added, unless told otherwise', async () => {
			act(teapot);
			act({ type: 'respond', status: 500 });
			expect(await statuses(3)).toEqual([418, 500, 200]);
			expect(service.sandbox.control.faults()).toEqual([]);
		});

		it('apply a number of times, from the nth request on', async () => {
			service.sandbox.control.addFault({ match: { nth: 2 }, times: 2, action: teapot });
			expect(await statuses(5)).toEqual([200, 418, 418, 200, 200]);
		});

		it('apply without end with times 0, until cleared', async () => {
			const { control } = service.sandbox;
			control.addFault({ times: 0, action: teapot });
			expect(await statuses(3)).toEqual([418, 418, 418]);
			expect(control.faults()).toMatchObject([{ matched: 3, applied: 3 }]);
			control.clearFaults();
			expect(await statuses(1)).toEqual([200]);
		});

		it.each([{ method: 'post' }, { path: /bulk\/delete$/ }, { path: 'bulk/delete$' }])(
			'look at %p',
			async (match) => {
				service.sandbox.control.addFault({ match, action: teapot });
				expect(await statuses(1)).toEqual([200]);
				expect((await remove()).status).toBe(418);
			},
		);

		it('look at the ids in the path and in the body, below /api only', async () => {
			const { client, sandbox } = service;
			sandbox.control.addFault({ match: { ids: [102, 104] }, times: 0, action: teapot });
			expect(await statuses(1)).toEqual([200]);
			expect(await statuses(1, 104)).toEqual([418]);
			expect((await client.bulkDelete({ ids: [103, 102] })).status).toBe(418);
			expect((await client.bulkDelete({ ids: [103] })).status).toBe(204);
			expect((await fetch(`${sandbox.url}/instances/104/`)).status).toBe(404);
		});

		it.each([
			{ action: { type: 'respond', status: 99 } },
			{ action: { type: 'applyThen', then: { type: 'emptyBody', status: 1000 } } },
			{ action: { type: 'delay', ms: -1 } },
			{ action: { type: 'reset' }, times: -1 },
			{ action: { type: 'reset' }, match: { nth: 0 } },
		] as const)('are refused when a number is out of bounds: %j', (rule) => {
			expect(() => service.sandbox.control.addFault(rule)).toThrow(RangeError);
		});
	});

	describe('rate limit', () => {
		const flood = async (count: number) =>
			await Promise.all(Array.from({ length: count }, async () => await get()));

		it('answers 429 above the limit, until the time named is over', async () => {
			const { control } = service.sandbox;
			control.setRateLimit({ perSecond: 3 });
			const answers = await flood(5);
			const refused = answers.filter(({ status }) => status === 429);
			expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
			expect(refused).toHaveLength(2);
			expect(refused[0]?.headers['retry-after']).toBe('1');
			expect(parseObject(refused[0]?.text ?? '')).toHaveProperty('detail');
			expect(control.log().filter(({ fault }) => fault === 'rateLimit')).toHaveLength(2);
			await new Promise((resolve) => setTimeout(resolve, 1010));
			expect((await get()).status).toBe(200);
		});

		it.each([
			[{ retryAfter: 'none' } as const, undefined],
			[{ retryAfter: 'zero' } as const, '0'],
			[{ retryAfterSeconds: 120 } as const, '120'],
		])('with %j names %s', async (kind, named) => {
			service.sandbox.control.setRateLimit({ perSecond: 0, ...kind });
			expect((await get()).headers['retry-after']).toBe(named);
		});

		it.each([
			['date', 1000, 3000],
			['pastDate', -Infinity, 0],
		] as const)('with %s names a date that is from %d to %d ms ahead', async (...row) => {
			const [retryAfter, from, to] = row;
			service.sandbox.control.setRateLimit({ perSecond: 0, retryAfter });
			const before = Date.now();
			const ahead = Date.parse(String((await get()).headers['retry-after'])) - before;
			expect(ahead).toBeGreaterThanOrEqual(from);
			expect(ahead).toBeLessThan(to);
		});
	});

	it.each([
		['text', 'string'],
		['object', 'object'],
		['array', 'array'],
	] as const)('answers the snapshot fields as %s', async (shape, expected) => {
		const { client, sandbox } = service;
		const kind = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
		sandbox.control.setSnapshotShape(shape);
		const process = client.process(SEED.processes.onboarding);
		for (const { text } of [await get(), await client.put(SEED.running, { process })]) {
			const { process_snapshot, step_deadlines } = parseObject(text);
			expect([process_snapshot, step_deadlines].map(kind)).toEqual([expected, expected]);
		}
	});
});
