import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { type IDataObject, type INodeParameters, NodeApiError, sleep } from 'n8n-workflow';

import { poolCount } from '../../../nodes/WorkflowInstanceService/api/pace/sharedPools';
import { SEED, type FaultAction, type RespondAction } from '../../../sandbox/service';
import {
	createTrigger,
	node,
	type RunNodeOptions,
	type Trigger,
	TRIGGER_TYPE,
	type TriggerOptions,
	useVirtualClock,
} from '../../harness';
import { leaks } from '../support/leaks';
import { ID_OF_ITEM, useSandbox } from '../support/sandbox';

const FAILURE = { cause: 'rate-limited', retryAfterMs: 1 } as const;
/** Not every supported version of n8n keeps the failure in its errors. */
const KEEPS_FAILURE =
	new NodeApiError(node('Trigger', TRIGGER_TYPE, {}), {}, { failure: FAILURE }).failure !==
	undefined;

describe('the trigger', () => {
	const sandbox = useSandbox();
	const clock = useVirtualClock();
	afterEach(() => {
		jest.restoreAllMocks();
		expect(poolCount()).toBe(0);
	});

	const IDS = [SEED.running, SEED.fullyFilled, SEED.bare];
	const CHANGED = { events: ['priorityChanged'] };
	const watch = async (parameters: INodeParameters = {}, options: Partial<TriggerOptions> = {}) =>
		await createTrigger({
			credentials: sandbox.credentials,
			...options,
			parameters: { instanceIds: IDS.join(', '), ...CHANGED, ...parameters },
		});
	const idsIn = (items: IDataObject[] | null) =>
		items?.map(({ eventId }) => parseInt(String(eventId)));
	const seenBy = (trigger: Trigger) => Object.keys(Object(trigger.saved().ids)).map(Number);
	const requested = () => sandbox.log().map(({ url }) => Number(/(\d+)\/$/.exec(url)?.[1]));
	const raise = (...ids: number[]) => {
		for (const id of ids) {
			const priority = sandbox.control.instance(id)?.priority === 'V' ? 'H' : 'V';
			sandbox.control.change(id, { priority });
		}
	};
	const fail = (action: FaultAction, ...ids: number[]) => {
		for (const id of ids) {
			sandbox.control.addFault({ match: { ids: [id] }, times: 99, action });
		}
	};
	const status = (code: number, headers: Record<string, string> = {}): RespondAction => ({
		type: 'respond',
		status: code,
		headers,
		body: '{"detail": "Not now."}',
	});
	/** What this trigger writes to the log of n8n from now on, until the test ends. */
	const logged = (level: 'error' | 'warn') => {
		const spy = jest.spyOn(Container.get(Logger), level);
		const origin = expect.objectContaining({ node: 'Trigger', workflowId: '1' });
		return () =>
			spy.mock.calls.map(([line, metadata]) => {
				expect(metadata).toEqual(origin);
				return String(line);
			});
	};
	/** Starts a run of forty instances, and goes on a second after its first requests. */
	const occupy = async (action: FaultAction, options: Partial<RunNodeOptions> = {}) => {
		const items = sandbox.control.addInstances(40).map((id) => ({ id }));
		sandbox.control.addFault({ times: 0, action });
		const halt = new AbortController();
		const run = { instanceId: ID_OF_ITEM };
		const running = sandbox.run(run, items, { signal: halt.signal, ...options });
		while (sandbox.log().length < 10) await clock().sleep(1);
		await clock().sleep(1_000);
		const stop = async () => {
			halt.abort();
			await running;
		};
		return { stop };
	};
	/** What a poll throws, as n8n reads it. */
	async function thrown(poll: Promise<unknown>) {
		const error: unknown = await poll.then(
			() => undefined,
			(cause: unknown) => cause,
		);
		if (!(error instanceof Error)) throw new Error('Nothing was thrown');
		expect(leaks(error, sandbox.credentials.apiKey)).toEqual([]);
		return error;
	}

	describe('which instances are asked for', () => {
		test('one that is added is seen for the first time, one that was removed is forgotten', async () => {
			const [first, second, third] = IDS;
			const trigger = await watch({ instanceIds: `${first}, ${second}, ${first}` });
			await trigger.activate();
			expect(requested()).toEqual([first, second]);
			await trigger.restart({ parameters: { ...CHANGED, instanceIds: `=${second}, ${third}` } });
			raise(...IDS);
			expect(idsIn(await trigger.poll())).toEqual([second]);
			expect(seenBy(trigger)).toEqual([second, third]);
			raise(...IDS);
			expect(idsIn(await trigger.poll())).toEqual([second, third]);
		});

		test('one that was removed is forgotten, also when no other one is asked for', async () => {
			const instanceIds = String(SEED.completed);
			const options = { keepFinished: false };
			const trigger = await watch({ instanceIds: `${instanceIds}, ${SEED.running}`, options });
			await trigger.activate();
			expect(seenBy(trigger)).toEqual([SEED.running, SEED.completed].sort());
			await trigger.restart({ parameters: { ...CHANGED, instanceIds, options } });
			sandbox.control.clearLog();
			expect(await trigger.activate()).toBeNull();
			expect(requested()).toEqual([]);
			expect(seenBy(trigger)).toEqual([SEED.completed]);
		});

		test.each(["={{ '' }}", '={{ null }}'])(
			'none when the expression is %s, and what was seen stays',
			async (instanceIds) => {
				const trigger = await watch();
				await trigger.activate();
				await trigger.restart({ parameters: { ...CHANGED, instanceIds } });
				expect(await trigger.activate()).toBeNull();
				expect(seenBy(trigger)).toEqual(IDS);
				expect(requested()).toEqual(IDS);
			},
		);

		test('those that come later, when there were none at the activation', async () => {
			const trigger = await watch({ instanceIds: '={{ [] }}' });
			expect(await trigger.activate()).toBeNull();
			await trigger.restart({ parameters: { ...CHANGED, instanceIds: `={{ [${IDS}] }}` } });
			expect(await trigger.poll()).toEqual([]);
			await trigger.restart();
			raise(...IDS);
			expect(idsIn(await trigger.poll())).toEqual(IDS);
		});

		test('all for the first time when the credential or the base URL has changed', async () => {
			const { apiKey, baseUrl } = sandbox.credentials;
			const trigger = await watch();
			await trigger.activate();
			const credentials = { apiKey, baseUrl: baseUrl.replace('127.0.0.1', 'localhost') };
			for (const change of [{ credentialId: '2' }, { credentials }]) {
				raise(...IDS);
				await trigger.restart(change);
				expect(await trigger.poll()).toEqual([]);
			}
			raise(...IDS);
			expect(idsIn(await trigger.poll())).toEqual(IDS);
		});

		test('all for the first time when what is kept has another form', async () => {
			const trigger = await watch();
			await trigger.activate();
			await trigger.restart({ saved: { ...trigger.saved(), v: 0 } });
			raise(...IDS);
			expect(await trigger.poll()).toEqual([]);
			const ids = { [SEED.running]: 'broken' };
			await trigger.restart({ saved: { ...trigger.saved(), ids, queue: 'broken' } });
			expect(await trigger.poll()).toEqual([]);
		});
	});

	describe('a poll in which not all can be read', () => {
		test('tells the rest, and makes good for the others later', async () => {
			const [first, second, third] = IDS;
			const trigger = await watch();
			await trigger.activate();
			raise(...IDS);
			fail(status(500), Number(first));
			fail({ ...status(200), body: '{}' }, Number(second));
			expect(idsIn(await trigger.poll())).toEqual([third]);
			await trigger.restart();
			sandbox.control.clearFaults();
			expect(idsIn(await trigger.poll())).toEqual([first, second]);
		});

		test.each([
			[500, 'could not handle the request for instance', 'The next poll tries again.'],
			[
				404,
				`'Instance IDs' contains ${IDS.join(', ')}, which the service`,
				'Correct the IDs, or remove',
			],
			[401, "The service rejected the 'API Key' in the credential", "enter a valid 'API Key'"],
		])('at all throws for status %d what the service says', async (code, message, advice) => {
			const trigger = await watch();
			sandbox.control.addFault({ times: 99, action: status(code) });
			const error = await thrown(trigger.activate());
			expect(error).toMatchObject({
				httpCode: String(code),
				message: expect.stringContaining(message),
				description: expect.stringContaining(advice),
			});
			expect(error.message).toContain('Not now.');
			// n8n waits longer until its next poll only where the service asks for it.
			expect(Object(error).failure).toBeUndefined();
			expect(trigger.saved()).toEqual({});
		});

		test('leaves a line in the log of those that were not read', async () => {
			const lines = logged('warn');
			const ids = sandbox.control.addInstances(25);
			const trigger = await watch({ instanceIds: `={{ [${[SEED.running, ...ids]}] }}` });
			fail(status(404), ...ids);
			expect(await trigger.activate()).toBeNull();
			const named = ids.slice(0, 20).join(', ');
			expect(lines()).toEqual([
				`Could not read 25 watched instances (${named} …): The service did not find instance ${ids[0]} (404): Not now.`,
			]);
			expect(seenBy(trigger)).toEqual([SEED.running]);
		});

		test.each([
			[404, '404 page not found', 0],
			[410, '', 3],
		])('takes %d with the body %j for %d instances that are gone', async (code, body, events) => {
			const trigger = await watch({ events: ['notFound'] });
			await trigger.activate();
			fail({ ...status(code), body, contentType: 'text/plain' }, ...IDS.map(Number));
			const items = await trigger.poll().catch((error: Error) => error.message);
			if (events > 0) expect(items).toHaveLength(events);
			else expect(items).toContain('There is no Workflow Instance Service at this URL');
		});

		test('tells that an instance is not found when it was there and the service says so', async () => {
			const [first, second] = IDS;
			const instanceIds = `={{ [${[SEED.unknown, ...IDS]}] }}`;
			const trigger = await watch({ instanceIds, events: ['notFound'] });
			await trigger.activate();
			expect(seenBy(trigger)).toEqual(IDS);
			fail(status(404), Number(first));
			fail(status(500), Number(second));
			const lines = logged('warn');
			expect(idsIn(await trigger.poll())).toEqual([first]);
			expect(lines()).toEqual([
				expect.stringMatching(/^Could not read 2 watched instances \(\d+, \d+\): /),
			]);
			for (const id of [second, SEED.unknown]) expect(lines()[0]).toContain(String(id));
		});

		// As many as a trigger may watch.
		test('sends no more requests with a key that is refused', async () => {
			const ids = sandbox.control.addInstances(500);
			const { baseUrl } = sandbox.credentials;
			const credentials = { baseUrl, apiKey: 'key-that-is-wrong' };
			const trigger = await watch({ instanceIds: ids.join() }, { credentials });
			await expect(trigger.activate()).rejects.toMatchObject({ httpCode: '401' });
			expect(sandbox.log().length).toBeLessThan(20);
		});

		test('throws what is missing when there is no credential', async () => {
			const trigger = await watch({}, { credentialId: null });
			await expect(trigger.activate()).rejects.toThrow('n8n could not read the credential');
		});
	});

	describe('the time of a poll', () => {
		test('is kept against a limit: the next poll goes on with the rest, until all were seen', async () => {
			const ids = sandbox.control.addInstances(40);
			const trigger = await watch({ instanceIds: ids.join() }, { budget: 3_500 });
			sandbox.control.setRateLimit({ requests: 5, retryAfter: 'none' });
			expect(await trigger.activate()).toBeNull();
			const seen = () => seenBy(trigger).length;
			const inFirst = seen();
			expect(inFirst).toBeGreaterThan(0);
			expect(inFirst).toBeLessThan(ids.length);
			// Each poll that sees something for the first time is saved.
			for (let polls = 0; polls < 40 && seen() < ids.length; polls++) {
				await trigger.poll();
				await trigger.restart();
			}
			expect(seen()).toBe(ids.length);
		}, 60_000);

		test.each([60, 3600])(
			'ends when the service asks to wait %d seconds, and tells n8n',
			async (s) => {
				const trigger = await watch({}, { budget: 1_400 });
				sandbox.control.addFault({ times: 99, action: status(429, { 'retry-after': `${s}` }) });
				const error = await thrown(trigger.activate());
				expect(error).toMatchObject({
					message: expect.stringMatching(/says to retry in 60 \w+ \(429\): Not now\.$/),
					description: s === 60 ? expect.anything() : 'The next poll tries again.',
					httpCode: '429',
				});
				const failure = { ...FAILURE, retryAfterMs: s * 1000 };
				expect(Object(error).failure).toEqual(KEEPS_FAILURE ? failure : undefined);
			},
		);

		const TOLD_TO_WAIT = status(503, { 'retry-after': '90' });
		test.each<[string, FaultAction, number, number]>([
			['the service says to retry', TOLD_TO_WAIT, 0, 30_000],
			["the 'Requests per Minute' limit", { type: 'hang' }, 10, 30_000],
			['other executions on this n8n kept', { type: 'hang' }, 0, 700],
		])('says what held it back: %s', async (words, action, requestsPerMinute, budget) => {
			const credentials = { ...sandbox.credentials, requestsPerMinute };
			const trigger = await watch({}, { credentials, budget });
			const running = await occupy(action, { credentials });
			const sent = sandbox.log().length;
			const error = await thrown(trigger.activate());
			expect(error.message).toMatch(`Time ran out before instance ${IDS[0]} was checked: `);
			expect(error.message).toContain(words);
			expect(Boolean(Object(error).failure)).toBe(budget === 30_000 && KEEPS_FAILURE);
			expect(sandbox.log()).toHaveLength(sent);
			await running.stop();
			await clock().sleep(62_000);
		});

		test('ends a poll that gets no answer', async () => {
			const trigger = await watch({}, { budget: 700 });
			sandbox.control.addFault({ times: 99, action: { type: 'hang' } });
			const error = await thrown(trigger.activate());
			expect(error.message).toMatch(/^The service did not respond in time to the request/);
			expect(error).toMatchObject({ description: 'The next poll tries again.' });
			// Its requests are aborted: nobody else would end these.
			while (sandbox.control.stats().inFlight > 0) await sleep(20);
		});

		test('begins no request near its end, and takes the responses that still come', async () => {
			const options = { maxConcurrentRequests: 1 };
			const trigger = await watch({ options }, { budget: 7_000 });
			sandbox.control.setLatency(3_100);
			// The second request begins in time and ends near the end; the third would begin there.
			expect(await trigger.activate()).toBeNull();
			expect(seenBy(trigger)).toEqual(IDS.slice(0, 2));
			expect(requested()).toEqual(IDS.slice(0, 2));
		});

		test('is not taken twice: a poll that comes while the one before goes on leaves all to it', async () => {
			const trigger = await watch();
			await trigger.activate();
			raise(...IDS);
			sandbox.control.setLatency(300);
			// Which of them comes first depends on when n8n has an isolate for its expressions.
			const polls = await Promise.all([trigger.poll(), trigger.poll()]);
			expect(polls.filter((items) => items === null)).toHaveLength(1);
			expect(polls.flatMap(idsIn).filter(Boolean)).toEqual(IDS);
		});
	});

	describe('IDs that cannot be read', () => {
		test('never keep the others from their turn, whatever becomes of them', async () => {
			const ids = sandbox.control.addInstances(150);
			const [bad, good] = [ids.slice(0, 130), ids.slice(130)];
			fail(status(404), ...bad);
			sandbox.control.setRateLimit({ requests: 2, seconds: 1 });
			const trigger = await watch({ instanceIds: `={{ [${ids}] }}` });
			await expect(trigger.activate()).rejects.toThrow('did not find instance');
			for (let polls = 0; polls < 16; polls++) await trigger.poll().catch(() => null);
			expect(seenBy(trigger)).toEqual(good);
		});

		test('are in the log with their own last response, not with that of another one', async () => {
			const [first, second] = IDS.map(Number);
			const trigger = await watch({}, { budget: 700 });
			fail({ type: 'hang' }, Number(first));
			fail(status(503), Number(second));
			const lines = logged('warn');
			expect(await trigger.activate()).toBeNull();
			expect(lines()).toEqual([
				`Could not read 2 watched instances (${first}, ${second}): The service did not respond in time to the request for instance ${first} (ETIMEDOUT)`,
			]);
			while (sandbox.control.stats().inFlight > 0) await sleep(20);
		});

		test('leave time for the others, and are in the log once a poll', async () => {
			const ids = sandbox.control.addInstances(100);
			const bad = [ids[0], ids[50]].map(Number);
			const trigger = await watch({ instanceIds: ids.join() });
			await trigger.activate();
			raise(...ids);
			fail({ type: 'hang' }, ...bad);
			const lines = logged('warn');
			expect(idsIn(await trigger.poll())).toEqual(ids.filter((id) => !bad.includes(id)));
			const line = expect.stringContaining(
				`Could not read 2 watched instances (${bad.join(', ')}): `,
			);
			expect(lines()).toEqual([line]);
		});
	});

	describe('an activation', () => {
		test.each(['init', 'leadershipChange'] as const)(
			'by n8n itself (%s) goes on to the next poll without the service',
			async (activation) => {
				const lines = logged('error');
				const credentials = { ...sandbox.credentials, baseUrl: 'http://127.0.0.1:9/api' };
				const trigger = await watch({}, { credentials });
				expect(await trigger.activate(activation)).toBeNull();
				expect(lines()).toEqual([expect.stringContaining("Can't connect to")]);
				const error = await thrown(trigger.poll());
				expect(error.message).toBe("Can't connect to http://127.0.0.1:9 (ECONNREFUSED)");
				const description = expect.not.stringContaining('Request Options');
				expect(error).toMatchObject({ description });
			},
		);

		const UNKNOWN = [SEED.unknown, 999_998];
		const instanceIds = [SEED.running, ...UNKNOWN].join();
		const message = `'Instance IDs' contains ${UNKNOWN.join(', ')}, which the service did not find (404): Not found.`;

		test.each(['activate', 'update', 'manual'] as const)(
			'by a user (%s) is refused for IDs that were typed in, are not found and were never seen',
			async (by) => {
				const trigger = await watch({ instanceIds });
				const begin = async () =>
					await (by === 'manual' ? trigger.poll('manual') : trigger.activate(by));
				expect(await thrown(begin())).toMatchObject({ message });
				expect(trigger.saved()).toEqual({});
				await trigger.restart({ parameters: { ...CHANGED, instanceIds: `=${instanceIds}` } });
				expect(idsIn(await begin())).toEqual(by === 'manual' ? [SEED.running] : undefined);
				// One that was there before is none of them.
				await trigger.restart({ parameters: { ...CHANGED, instanceIds: IDS.join() } });
				await trigger.activate(by === 'manual' ? 'activate' : by);
				fail(status(404), Number(IDS[0]));
				await trigger.restart();
				expect(idsIn(await begin())).toEqual(by === 'manual' ? IDS.slice(1) : undefined);
			},
		);

		test('by n8n itself goes on without them, and so do all later polls', async () => {
			const trigger = await watch({ instanceIds });
			expect(await trigger.activate('init')).toBeNull();
			expect(seenBy(trigger)).toEqual([SEED.running]);
			await trigger.restart();
			expect(await trigger.activate('init')).toBeNull();
			await trigger.restart({ budget: 45_000 });
			expect(await trigger.poll()).toBeNull();
		});

		test('by a user fails within twelve seconds when the service hangs, and says so', async () => {
			const trigger = await watch();
			fail({ type: 'hang' }, ...IDS);
			const begun = clock().now();
			await expect(trigger.activate()).rejects.toThrow('did not respond in time to the request');
			expect(clock().now() - begun).toBeLessThanOrEqual(12_000);
		});
	});

	describe('a test in the editor', () => {
		test('shows the instances as samples of the same shape, and remembers nothing', async () => {
			const [first, second] = IDS;
			const lines = logged('warn');
			const trigger = await watch({ events: ['stageChanged', 'completed', 'notFound'] });
			await trigger.activate();
			const sample = true;
			const before = trigger.saved();
			raise(...IDS);
			sandbox.control.change(Number(second), { state: 'completed' });
			fail(status(404), SEED.bare);
			fail({ type: 'delay', ms: 500 }, Number(first));
			const [one, two] = IDS.map((id) => sandbox.control.instance(id));
			expect(await trigger.poll('manual')).toEqual([
				{
					sample,
					event: 'stageChanged',
					eventId: `${first}-stageChanged-sample`,
					changes: { stage: { from: 'Another Stage', to: one?.stage } },
					instance: expect.objectContaining({ id: first }),
				},
				{
					sample,
					event: 'completed',
					eventId: `${second}-completed-sample`,
					changes: { completed_time: { from: null, to: two?.completed_time } },
					instance: expect.objectContaining({ id: second }),
				},
			]);
			expect(trigger.saved()).toEqual(before);
			expect(lines()).toEqual([
				expect.stringContaining(`Could not read 1 watched instance (${SEED.bare}): `),
			]);
		});

		test('shows an instance that was finished long ago, too, and does not wait for a poll', async () => {
			const trigger = await watch({ instanceIds: String(SEED.completed), events: ['completed'] });
			await trigger.activate();
			sandbox.control.setLatency(300);
			const [, samples] = await Promise.all([trigger.poll(), trigger.poll('manual')]);
			expect(samples).toHaveLength(1);
		});

		const A_TIME = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]+Z$/);
		test.each<[string, IDataObject, ...Array<{ from: unknown; to: unknown }>]>([
			['notFound', {}],
			['completed', {}, { from: null, to: A_TIME }],
			['overdue', { deadline: null }, { from: null, to: A_TIME }],
			['priorityChanged', { priority: null }, { from: 'H', to: null }],
			['priorityChanged', { priority: 'H' }, { from: null, to: 'H' }],
			['tagsChanged', { tags: ['a'] }, { from: ['another-tag'], to: ['a'] }],
		])('shows an example of what changed: %s with %j', async (event, now, ...changed) => {
			sandbox.control.change(SEED.running, now);
			const trigger = await watch({ instanceIds: String(SEED.running), events: [event] });
			const [{ changes = {} } = {}] = (await trigger.poll('manual')) ?? [];
			expect(Object.values(changes ?? {})).toEqual(changed);
		});

		test.each(['typed in', 'by an expression'])('shows ten of many, %s', async (how) => {
			const ids = sandbox.control.addInstances(25).reverse();
			const isTyped = how === 'typed in';
			const trigger = await watch({ instanceIds: isTyped ? ids.join() : `={{ [${ids}] }}` });
			fail(status(500), ...ids.slice(0, 1));
			const first = isTyped ? ids.slice(1, 11) : ids.slice(1, 10);
			expect(idsIn(await trigger.poll('manual'))).toEqual(first);
			expect(requested()).toHaveLength(isTyped ? 25 : 10);
		});

		test('says why there is no sample', async () => {
			const none = await watch({ instanceIds: '={{ [] }}' });
			await expect(none.poll('manual')).rejects.toThrow(
				"'Instance IDs' returns no IDs at the moment",
			);
			fail(status(500), SEED.bare);
			const broken = await watch({ instanceIds: String(SEED.bare) });
			await expect(broken.poll('manual')).rejects.toThrow('could not handle the request');
			const missing = await watch({ instanceIds: String(SEED.unknown) });
			await expect(missing.poll('manual')).rejects.toThrow("'Instance IDs' contains 999999, which");
			fail({ ...status(410), body: '' }, SEED.unknown);
			await expect(missing.poll('manual')).rejects.toThrow(/did not find \(410\)$/);
		});
	});

	describe('a parameter that cannot be used', () => {
		const tooMany = Array.from({ length: 501 }, (_, index) => index + 1).join();

		test.each<[string, INodeParameters]>([
			['"x" in \'Instance IDs\' is not a valid instance ID', { instanceIds: '={{ "x" }}' }],
			["'Instance IDs' is empty", { instanceIds: ' , ' }],
			[
				"'Instance IDs' contains 501 instances, but one trigger can watch 500 at most",
				{ instanceIds: tooMany },
			],
			[
				'"deleted" in \'Trigger On\' is not one of its options',
				{ events: ['completed', 'deleted'] },
			],
			["'Trigger On' is empty", { events: '={{ [] }}' }],
			["5 in 'Trigger On' is not one of its options", { events: '={{ [5] }}' }],
			['"all" in \'Output\' is not one of its options', { output: 'all' }],
			['"yes" in \'Emit Initial State\' is not true or false', { options: { emitFirst: 'yes' } }],
		])('is named: %s', async (message, parameters) => {
			const trigger = await watch(parameters);
			await expect(trigger.activate()).rejects.toThrow(message);
			expect(sandbox.log()).toEqual([]);
		});
	});

	test('n8n keeps about 70 bytes of an instance for the common events', async () => {
		const events = ['completed', 'aborted', 'overdue', 'stageChanged'];
		const ids = sandbox.control.addInstances(300);
		const trigger = await watch({ instanceIds: ids.join(), events });
		await trigger.activate();
		for (const id of ids) {
			sandbox.control.change(id, { stepsDone: 1, deadline: '2020-01-01T00:00:00Z' });
		}
		await trigger.poll();
		expect(seenBy(trigger)).toEqual(ids);
		expect(JSON.stringify(trigger.saved().ids).length / 300).toBeLessThan(75);
	});
});
