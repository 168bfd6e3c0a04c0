import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { type IDataObject, type INodeParameters, sleep } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkflowInstanceService/api/clock';
import { schedulers } from '../../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { asObject } from '../../../nodes/WorkflowInstanceService/values/json';
import { SEED, type FaultAction } from '../../../sandbox/service';
import { seededChance } from '../../../scripts/simulation/histories';
import { createTrigger, type Trigger, type TriggerOptions, useVirtualClock } from '../../harness';
import { leaks } from '../support/leaks';
import { ID_OF_ITEM, respond, useSandbox } from '../support/sandbox';

const sandbox = useSandbox();
const clock = useVirtualClock();
afterEach(() => {
	jest.restoreAllMocks();
	expect(schedulers.size).toBe(0);
});

const IDS = [SEED.running, SEED.fullyFilled, SEED.bare] as const;
const CHANGED = { events: ['priorityChanged'] };
const watch = async (parameters: INodeParameters = {}, options: Partial<TriggerOptions> = {}) =>
	await createTrigger({
		credentials: sandbox.credentials,
		...options,
		parameters: { instanceIds: IDS.join(', '), ...CHANGED, ...parameters },
	});
const limitedTo = (requestsPerMinute: number) => ({
	credentials: { ...sandbox.credentials, requestsPerMinute },
});
/** Until what was sent no longer counts for a limit. */
const endLimit = async () => await clock().sleep(62_000);
const idsIn = (items: IDataObject[] | null) =>
	items?.map(({ eventId }) => parseInt(String(eventId)));
const seenBy = (trigger: Trigger) => Object.keys(asObject(trigger.saved().ids)).map(Number);
const requested = () => sandbox.log().map(({ url }) => Number(/(\d+)\/$/.exec(url)?.[1]));
const raise = (...ids: number[]) => {
	for (const id of ids) {
		const priority = sandbox.control.instance(id)?.priority === 'V' ? 'H' : 'V';
		sandbox.control.change(id, { priority });
	}
};
const fail = (action: FaultAction, ...ids: number[]) => sandbox.fault(action, { ids, times: 0 });
const status = (code: number, headers = {}) => respond(code, { detail: 'Not now.' }, headers);
/** What the trigger writes to n8n's log from now on, until mocks are restored. */
function logged(level: 'error' | 'warn') {
	const spy = jest.spyOn(Container.get(Logger), level);
	const origin = expect.objectContaining({ node: 'Trigger', workflowId: '1' });
	return () =>
		spy.mock.calls.map(([line, metadata]) => {
			expect(metadata).toEqual(origin);
			const [, message] = /^Trigger \(workflow 1\): (.*)$/s.exec(String(line)) ?? [];
			return message;
		});
}
/** What a poll throws, without the API key. */
async function thrown(poll: Promise<unknown>): Promise<Record<string, unknown>> {
	const error: unknown = await poll.catch((cause: unknown) => cause);
	if (!(error instanceof Error)) throw new Error('Nothing was thrown');
	expect(leaks(error, sandbox.credentials.apiKey)).toEqual([]);
	return { ...error, message: error.message };
}

test('IDs that an expression returns only after the activation are recorded by an emission without items, and stay while it returns none', async () => {
	const none = { parameters: { ...CHANGED, instanceIds: '={{ [] }}' } };
	const some = { parameters: { ...CHANGED, instanceIds: `={{ [${IDS}] }}` } };
	const trigger = await watch(none.parameters);
	expect(await trigger.activate()).toBeNull();
	await trigger.restart(some);
	expect(await trigger.poll()).toEqual([]);
	await trigger.restart(none);
	expect(await trigger.activate()).toBeNull();
	expect(requested()).toEqual(IDS);
	await trigger.restart(some);
	raise(...IDS);
	expect(idsIn(await trigger.poll())).toEqual(IDS);
});

test('The trigger starts over when the credential, the base URL or the form of what is stored changes', async () => {
	const { apiKey, baseUrl } = sandbox.credentials;
	const trigger = await watch();
	await trigger.activate();
	const startsOver = async (changes: Parameters<typeof trigger.restart>[0]) => {
		raise(...IDS);
		await trigger.restart(changes);
		expect(await trigger.poll()).toEqual([]);
	};
	await startsOver({ credentialId: '2' });
	await startsOver({
		credentials: { apiKey, baseUrl: baseUrl.replace('127.0.0.1', 'localhost') },
	});
	await startsOver({ saved: { ...trigger.saved(), for: 'another format' } });
	const ids = { [SEED.running]: 'broken' };
	await startsOver({ saved: { ...trigger.saved(), ids, queue: 'broken' } });
	raise(...IDS);
	expect(idsIn(await trigger.poll())).toEqual(IDS);
});

test('What was stored stays while no instance can be read, even with another base URL', async () => {
	const trigger = await watch();
	await trigger.activate();
	raise(...IDS);
	const { credentials } = sandbox;
	await trigger.restart({ credentials: { ...credentials, baseUrl: 'http://127.0.0.1:9/api' } });
	await thrown(trigger.poll());
	await trigger.restart({ credentials });
	expect(idsIn(await trigger.poll())).toEqual(IDS);
});

test('An ID that is removed is forgotten, even if all others are finished', async () => {
	const [id] = IDS;
	const parametersOf = (...ids: number[]) => ({ ...CHANGED, instanceIds: ids.join() });
	const trigger = await watch(parametersOf(SEED.completed, id));
	await trigger.activate();
	await trigger.restart({ parameters: parametersOf(SEED.completed) });
	await trigger.poll();
	expect(seenBy(trigger)).toEqual([SEED.completed]);
	raise(id);
	await trigger.restart({ parameters: parametersOf(SEED.completed, id) });
	expect(await trigger.poll()).toEqual([]);
});

test('An event that is added again starts over, even for an instance that could not be read meanwhile', async () => {
	const trigger = await watch();
	await trigger.activate();
	const restart = async (...events: string[]) =>
		await trigger.restart({ parameters: { instanceIds: IDS.join(), events } });
	await restart('nameChanged');
	fail(status(500), IDS[0]);
	await trigger.activate();
	sandbox.control.clearFaults();
	raise(...IDS);
	await restart('priorityChanged', 'nameChanged');
	expect(await trigger.poll()).toEqual([]);
});

test('Nothing is saved when an event is added about a field that the service leaves out', async () => {
	const [first] = IDS;
	fail(respond(200, { id: first, process: 'x', stage: 'A' }), first);
	const trigger = await watch({ instanceIds: `${first}` });
	await trigger.activate();
	const events = ['priorityChanged', 'tagsChanged'];
	await trigger.restart({ parameters: { instanceIds: `${first}`, events } });
	expect(await trigger.poll()).toBeNull();
});

// A trigger has no Request Options.
const NO_OPTIONS = /^((?!Request Options).)*$/;
test.each<[changes: object, httpCode: string | null, message: RegExp, description: RegExp]>([
	[{ baseUrl: 'http://127.0.0.1:9/api' }, null, /^Can't connect to .*ECONNREFUSED/, NO_OPTIONS],
	[{ apiKey: 'wrong' }, '401', /^The service rejected the 'API Key'/, /enter a valid 'API Key'/],
	[{}, '500', /could not process the request for instance .*: Not now\.$/, NO_OPTIONS],
])('A poll with %j that can read no instance throws why', async (changes, httpCode, ...words) => {
	const credentials = { ...sandbox.credentials, ...changes };
	const trigger = await watch({}, { credentials });
	if (httpCode === '500') fail(status(500), ...IDS);
	const error = await thrown(trigger.activate());
	const [message, description] = words.map((each) => expect.stringMatching(each));
	expect(error).toMatchObject({ httpCode, message, description });
	// n8n only waits longer before its next poll if the service asks for it.
	expect(error.failure).toBeUndefined();
	expect(trigger.saved()).toEqual({});
});

test.each<[string, FaultAction]>([
	['waits to retry', status(503)],
	['waits for a response', { type: 'hang' }],
])('A poll whose time ends while it %s throws what the service said before', async (_, action) => {
	const trigger = await watch({ instanceIds: `${IDS[0]}` }, { budget: 7_000 });
	sandbox.fault(status(503));
	sandbox.fault(action, { times: 0 });
	expect(await thrown(trigger.activate())).toMatchObject({
		httpCode: '503',
		message: 'The service is not available at the moment (503): Not now.',
	});
	expect(sandbox.log().length).toBeGreaterThan(1);
});

test('A poll logs once which instances it could not read', async () => {
	const lines = logged('warn');
	const ids = sandbox.control.addInstances(25);
	const trigger = await watch({ instanceIds: `={{ [${[SEED.running, ...ids]}] }}` }, limitedTo(23));
	fail(status(404), ...ids);
	expect(await trigger.activate()).toBeNull();
	const named = ids.slice(0, 20).join(', ');
	expect(lines()).toEqual([
		`Could not check 22 of 26 watched instances (${named} and 2 more): The service did not find instance ${ids[0]} (404): Not now. Check that this is the instance's ID, not a table row's, and that the instance still exists. If this happens for every instance, check the 'Base URL' in the credential. If it was deleted, remove its ID from 'Instance IDs'. There was no time to check 3 more.`,
	]);
	expect(seenBy(trigger)).toEqual([SEED.running]);
	await endLimit();
});

test('A poll that the service ends with a rejected key logs one line for all', async () => {
	const lines = logged('warn');
	const ids = sandbox.control.addInstances(12);
	const trigger = await watch({ instanceIds: `={{ [${ids}] }}` });
	fail(status(401), Number(ids[0]));
	await trigger.activate();
	const line =
		/^Could not check (\d+) of 12 watched instances \(\d+(, \d+)+\): .*\(401\)((?!no time).)*$/;
	expect(lines()).toEqual([expect.stringMatching(line)]);
});

test('A poll logs a line for each status, and throws one that says more than that an instance is gone', async () => {
	const lines = logged('warn');
	const [gone, failing, other] = IDS;
	const trigger = await watch({ instanceIds: `={{ [${[...IDS, SEED.overdue]}] }}` });
	await trigger.activate();
	fail(status(404), gone);
	fail(status(500), failing);
	fail(status(422), other);
	await trigger.poll();
	const line = (id: number, code: number) =>
		expect.stringMatching(`^Could not check 1 of 4 watched instances \\(${id}\\): .*\\(${code}\\)`);
	expect(lines()).toEqual([line(failing, 500), line(other, 422), line(gone, 404)]);
	fail(status(500), SEED.overdue);
	expect(await thrown(trigger.poll())).toMatchObject({ httpCode: '500' });
	sandbox.control.clearFaults();
	fail(status(404), gone);
	fail(status(400), failing, other, SEED.overdue);
	expect(await thrown(trigger.poll())).toMatchObject({ httpCode: '400' });
});

test('Not Found is emitted only for instances that were there before, and not for a 404 of a gateway', async () => {
	const [first, second, third] = IDS;
	const instanceIds = `={{ [${[SEED.unknown, ...IDS]}] }}`;
	const trigger = await watch({ instanceIds, events: ['notFound'] });
	await trigger.activate();
	expect(seenBy(trigger)).toEqual(IDS);
	fail(status(404), first);
	fail(status(500), second);
	fail(respond(404, '404 page not found'), third);
	expect(idsIn(await trigger.poll())).toEqual([first]);
});

test.each([
	[60, '1 minute'],
	[61.001, '1 minute and 2 seconds'],
	// A fraction of a millisecond doesn't add a second.
	[3_600.00025, '1 hour'],
	[90_061, '1 day, 1 hour, 1 minute, and 1 second'],
	[864_000, '1 week and 3 days'],
])('A poll ends when it should wait %d seconds: %s', async (s, words) => {
	const trigger = await watch({}, { budget: 1_400 });
	sandbox.fault(status(429, { 'retry-after': `${s}` }), { times: 0 });
	const error = await thrown(trigger.activate());
	expect(error).toMatchObject({
		message: expect.stringMatching(`says to retry in ${words} \\(429\\): Not now\\.$`),
		description: s === 60 ? expect.anything() : 'The next check tries again.',
		httpCode: '429',
	});
});

test.each<[string, FaultAction, number, requestsPerMinute?: number]>([
	['the service says to retry', status(503, { 'retry-after': '90' }), 30_000],
	["the 'Requests per Minute' limit", { type: 'hang' }, 30_000, 10],
	['other requests came first', { type: 'hang' }, 700],
	['no request of this kind has succeeded for 1 second (429)', status(429), 700],
])('A poll without time for a request says why: %s', async (words, action, budget, limit = 0) => {
	const credentials = { ...sandbox.credentials, requestsPerMinute: limit };
	const trigger = await watch({}, { credentials, budget });
	const items = sandbox.control.addInstances(40).map((id) => ({ id }));
	sandbox.fault(action, { times: 0 });
	const halt = new AbortController();
	const { signal } = halt;
	const running = sandbox.run({ instanceId: ID_OF_ITEM }, items, { signal, credentials });
	while (sandbox.log().length < 10) await clock().sleep(1);
	await clock().sleep(1_000);
	const sent = sandbox.log().length;
	const error = await thrown(trigger.activate());
	expect(error.message).toMatch(`Time ran out before instance ${IDS[0]} was checked, because `);
	expect(error.message).toContain(words);
	expect(sandbox.log()).toHaveLength(sent);
	halt.abort();
	await running;
	await endLimit();
});

test('A poll sends no request near its end, and leaves the rest to the next one, even after a restart', async () => {
	const ids = sandbox.control.addInstances(100);
	const trigger = await watch({ instanceIds: ids.join() }, { budget: 7_000 });
	sandbox.control.setLatency(3_100);
	const startedAt = clock().now();
	await trigger.activate();
	const lastSent = Math.max(...sandbox.log().map(({ receivedAt }) => receivedAt));
	expect(lastSent - startedAt).toBeLessThanOrEqual(6_000);
	const unread = ids.slice(seenBy(trigger).length);
	expect(unread.at(-1)).not.toBe(requested().at(-1));
	await trigger.restart();
	sandbox.control.clearLog();
	await trigger.poll();
	expect(requested()).toEqual([...unread, ...ids].slice(0, requested().length));
});

test('The queue goes on after a change of the credential', async () => {
	const ids = sandbox.control.addInstances(60);
	const trigger = await watch({ instanceIds: `={{ [${ids}] }}` });
	await trigger.activate();
	await trigger.restart({ credentialId: '2' });
	fail({ type: 'hang' }, ...ids.slice(0, 40));
	for (let poll = 0; poll < 4; poll++) {
		await trigger.poll().catch(() => null);
		await clock().sleep(300_000);
	}
	expect(seenBy(trigger).sort()).toEqual(ids.slice(40));
});

test('The queue goes on after polls without IDs, and reads each ID once', async () => {
	const ids = sandbox.control.addInstances(60);
	const parameters = { ...CHANGED, instanceIds: `={{ [${ids}] }}` };
	const trigger = await watch(parameters, { ...limitedTo(10), budget: 45_000 });
	await trigger.poll();
	const queue = [...ids.slice(10), ...ids];
	await trigger.restart({ saved: { ...trigger.saved(), queue } });
	for (let poll = 0; poll < 4; poll++) {
		await clock().sleep(300_000);
		const instanceIds = poll % 2 === 0 ? '={{ [] }}' : parameters.instanceIds;
		await trigger.restart({ parameters: { ...parameters, instanceIds } });
		await trigger.poll();
	}
	expect(requested()).toEqual(ids.slice(0, 30));
	await endLimit();
});

/** Chance that is the same each time the tests run. */
const useSeededChance = () =>
	void jest.spyOn(systemClock, 'chance').mockImplementation(seededChance(1));

const limit = (requests: number, seconds: number) => () =>
	sandbox.control.setRateLimit({ requests, seconds });
type Act = (ids: number[]) => unknown;
test.each<[string, count: number, failing: number, act: Act, polls: number, most: number]>([
	['50 requests in ten minutes', 300, 0, limit(50, 600), 24, 23],
	['a limit that the same ten would meet each time', 60, 0, limit(50, 299), 8, 1],
	['instances that are unavailable', 100, 16, (ids) => fail(status(503), ...ids), 6, 0],
	['instances that hang for a whole poll', 60, 40, (ids) => fail({ type: 'hang' }, ...ids), 12, 3],
])('With %s, polls every five minutes check all of %d, and read all but %d', async (...row) => {
	const [, count, failing, act, times, most] = row;
	useSeededChance();
	const ids = sandbox.control.addInstances(count);
	act(ids.slice(0, failing));
	const trigger = await watch({ instanceIds: `={{ [${ids}] }}` }, { budget: 45_000 });
	const polls: Array<ReturnType<typeof sandbox.log>> = [];
	while (polls.length < times) {
		const next = clock().now() + 300_000;
		sandbox.control.clearLog();
		await trigger.poll().catch(() => null);
		polls.push(sandbox.log());
		await clock().sleep(next - clock().now());
	}
	/** The most polls in a row without such a request for an instance, including those at the start and at the end. */
	const longestGap = (some: number[], statuses: RegExp) => {
		const seen = polls.map((log) => log.filter((each) => statuses.test(String(each.status))));
		const gaps = some.map((id) =>
			seen.map((log) => (log.some(({ url }) => url.includes(`/${id}/`)) ? ' ' : '-')).join(''),
		);
		return Math.max(...gaps.flatMap((each) => each.split(' ').map(({ length }) => length)));
	};
	expect(longestGap(ids, /./)).toBeLessThanOrEqual(most);
	expect(longestGap(ids.slice(failing), /200/)).toBeLessThanOrEqual(most);
});

test.each([429, 503] as const)('A limit by %d lets others through the next time', async (code) => {
	const ids = sandbox.control.addInstances(12);
	const trigger = await watch({ instanceIds: ids.join() });
	await trigger.activate();
	const retryAfter = code === 429 ? 'none' : 'seconds';
	const limited = { requests: 3, seconds: 10, kind: 'fixed', retryAfter, status: code } as const;
	sandbox.control.setRateLimit(limited);
	sandbox.control.clearLog();
	useSeededChance();
	for (let poll = 0; poll < 12; poll++) {
		await trigger.poll().catch(() => null);
		await clock().sleep(60_000);
	}
	const read = sandbox.log().filter((each) => each.status === 200);
	expect(new Set(read.map(({ url }) => url)).size).toBe(12);
});

test('The queue goes on after a poll that the service ends with a rejected key', async () => {
	const ids = sandbox.control.addInstances(30);
	const trigger = await watch({ instanceIds: `={{ [${ids}] }}` }, limitedTo(10));
	for (let poll = 0; poll < 6; poll++) {
		if (poll % 2 === 1) sandbox.fault(status(401));
		await trigger.poll().catch(() => null);
		await clock().sleep(120_000);
	}
	expect(seenBy(trigger)).toEqual(ids);
	await endLimit();
});

test('Instances that hang leave time for the others in the same poll', async () => {
	const ids = sandbox.control.addInstances(60);
	const trigger = await watch({ instanceIds: ids.join() }, { budget: 45_000 });
	fail({ type: 'hang' }, ...ids.slice(0, 15));
	await trigger.poll();
	expect(seenBy(trigger)).toEqual(ids.slice(15));
});

test('An instance that is unavailable delays the events of others by ten seconds at most', async () => {
	const ids = sandbox.control.addInstances(2);
	const trigger = await watch({ instanceIds: ids.join() });
	await trigger.activate();
	fail(status(503), ...ids.slice(0, 1));
	raise(...ids.slice(1));
	const startedAt = clock().now();
	expect(idsIn(await trigger.poll())).toEqual(ids.slice(1));
	expect(clock().now() - startedAt).toBeLessThan(10_000);
});

test('What a limit leaves for the next poll is not logged', async () => {
	const lines = logged('warn');
	const ids = sandbox.control.addInstances(12);
	const trigger = await watch({ instanceIds: ids.join() }, limitedTo(1));
	expect(await trigger.activate()).toBeNull();
	expect(seenBy(trigger)).toEqual(ids.slice(0, 1));
	expect(trigger.saved().queue).toEqual([...ids.slice(1), ...ids.slice(0, 1)]);
	expect(lines()).toEqual([]);
	await endLimit();
});

test('What a limit leaves for the next poll is saved for the durable scheduler, which reads it each time', async () => {
	const ids = sandbox.control.addInstances(25);
	const trigger = await watch({ instanceIds: ids.join() }, { ...limitedTo(10), budget: 45_000 });
	for (let polls = 0; polls < 5; polls++) {
		await trigger.poll();
		await trigger.restart();
		await clock().sleep(62_000);
	}
	expect(requested()).toEqual([...ids, ...ids]);
});

test('A poll that starts during another one of the same node leaves everything to that', async () => {
	const trigger = await watch();
	await trigger.activate();
	raise(...IDS);
	sandbox.control.setLatency(300);
	// Which one comes first depends on when n8n has an isolate for its expressions.
	const polls = await Promise.all([trigger.poll(), trigger.poll()]);
	expect(polls.filter((items) => items === null)).toHaveLength(1);
	expect(polls.flatMap(idsIn).filter(Boolean)).toEqual(IDS);
});

const STARTS = ['init', 'leadershipChange'] as const;
test.each(STARTS)('A first poll that n8n starts itself (%s) does not throw', async (activation) => {
	const lines = logged('error');
	const trigger = await watch();
	fail(status(500), ...IDS);
	expect(await trigger.activate(activation)).toBeNull();
	expect(lines()).toEqual([expect.stringContaining('could not process the request')]);
	await thrown(trigger.poll());
	sandbox.control.clearFaults();
	expect(await trigger.poll()).toEqual([]);
	expect(seenBy(trigger)).toEqual(IDS);
});

const UNKNOWN = [SEED.unknown, 999_998];
const instanceIds = [SEED.running, ...UNKNOWN].join();
const message = `'Instance IDs' contains ${UNKNOWN.join(', ')}, which the service did not find (404): Not found.`;

const BY_USERS = ['activate', 'update', 'manual'] as const;
test.each(BY_USERS)('A first poll by %s rejects typed IDs that were never seen', async (by) => {
	const trigger = await watch({ instanceIds });
	const start = async () => await (by === 'manual' ? trigger.poll('manual') : trigger.activate(by));
	const description = expect.stringContaining('Correct the IDs, or remove those');
	expect(await thrown(start())).toMatchObject({ httpCode: '404', message, description });
	expect(trigger.saved()).toEqual({});
	await trigger.restart({ parameters: { ...CHANGED, instanceIds: `={{ [${instanceIds}] }}` } });
	expect(idsIn(await start())).toEqual(by === 'manual' ? [SEED.running] : undefined);
	// An instance that was there before isn't one of them.
	await trigger.restart({ parameters: { ...CHANGED, instanceIds: IDS.join() } });
	await trigger.activate(by === 'manual' ? 'activate' : by);
	fail(status(404), IDS[0]);
	await trigger.restart();
	expect(idsIn(await start())).toEqual(by === 'manual' ? IDS.slice(1) : undefined);
});

test('Typed IDs that do not exist hold up neither a start of n8n nor later polls', async () => {
	const trigger = await watch({ instanceIds });
	expect(await trigger.activate('init')).toBeNull();
	expect(seenBy(trigger)).toEqual([SEED.running]);
	await trigger.restart({ budget: 45_000 });
	expect(await trigger.poll()).toBeNull();
});

test('Publishing fails within twelve seconds when the service hangs, and aborts the requests', async () => {
	const [first, second, third] = IDS;
	const trigger = await watch();
	fail({ type: 'hang' }, first, third);
	fail(status(503), second);
	const startedAt = clock().now();
	const error = await thrown(trigger.activate());
	expect(error.message).toBe('The service is not available at the moment (503): Not now.');
	expect(error.description).toBe('Try again later.');
	expect(clock().now() - startedAt).toBeLessThanOrEqual(12_000);
	while (sandbox.control.stats().inFlight > 0) await sleep(20);
});

test('A start of n8n waits three seconds for a service that hangs, since other workflows start after it', async () => {
	const trigger = await watch();
	fail({ type: 'hang' }, ...IDS);
	const startedAt = clock().now();
	expect(await trigger.activate('init')).toBeNull();
	expect(clock().now() - startedAt).toBeLessThanOrEqual(3_000);
});

test('A poll on schedule fails if the key is rejected, even if n8n copies the static data', async () => {
	const trigger = await watch({}, { copiesStaticData: true });
	await trigger.activate('init');
	fail(status(401), ...IDS);
	expect((await thrown(trigger.poll())).message).toContain("rejected the 'API Key'");
});

test('An event whose item cannot be made is emitted by the next poll that can', async () => {
	const id = SEED.running;
	const lines = logged('error');
	const options = { output: 'selected', outputFields: ['process_snapshot'] };
	const trigger = await watch({ instanceIds: String(id), ...options });
	await trigger.activate();
	raise(id);
	const deep = `${'['.repeat(20_000)}1e5${']'.repeat(20_000)}`;
	sandbox.fault(respond(200, { ...sandbox.control.instance(id), process_snapshot: deep }));
	expect(await thrown(trigger.poll())).toMatchObject({
		message: expect.stringMatching(/call stack/),
	});
	expect(lines()).toEqual([expect.stringMatching(/Unexpected error in .*: RangeError: .*\n +at /)]);
	expect(idsIn(await trigger.poll())).toEqual([id]);
});

test('A test in the editor returns instances as samples of the same shape, and stores nothing', async () => {
	const [first, second] = IDS;
	const lines = logged('warn');
	const trigger = await watch({ events: ['stageChanged', 'completed', 'notFound'] });
	await trigger.activate();
	const before = trigger.saved();
	raise(...IDS);
	sandbox.control.change(second, { state: 'completed' });
	fail(status(404), SEED.bare);
	fail({ type: 'delay', ms: 500 }, first);
	const [one, two] = IDS.map((id) => sandbox.control.instance(id));
	const sampleOf = (id: number, event: string, changes: IDataObject = {}) => ({
		...{ sample: true, event, eventId: `${id}-${event}-sample`, changes },
		instance: expect.objectContaining({ id }),
	});
	expect(await trigger.poll('manual')).toEqual([
		sampleOf(first, 'stageChanged', { stage: { from: 'Another Stage', to: one?.stage } }),
		sampleOf(first, 'notFound'),
		sampleOf(second, 'completed', { completed_time: { from: null, to: two?.completed_time } }),
	]);
	expect(trigger.saved()).toEqual(before);
	expect(lines()).toEqual([
		expect.stringContaining(`Could not check 1 of 3 watched instances (${SEED.bare}): `),
	]);
});

test('A test in the editor shows finished instances, too, and does not wait for a running poll', async () => {
	const trigger = await watch({ instanceIds: String(SEED.completed), events: ['completed'] });
	await trigger.activate();
	sandbox.control.setLatency(300);
	const [, samples] = await Promise.all([trigger.poll(), trigger.poll('manual')]);
	expect(samples).toHaveLength(1);
});

test.each([
	['101', '101-completed 101-overdue 101-stageChanged'],
	['101,102', '101-completed 101-stageChanged 102-overdue'],
	['104,101,102,103', '104-completed 101-overdue 102-stageChanged 103-completed'],
])('A test in the editor shows three chosen events with %s: %s', async (instanceIds, samples) => {
	const events = ['completed', 'overdue', 'stageChanged'];
	const trigger = await watch({ instanceIds, events });
	const items = (await trigger.poll('manual')) ?? [];
	const eventIds = items.map(({ eventId }) => String(eventId).replace('-sample', ''));
	expect(eventIds.join(' ')).toBe(samples);
});

const A_TIME = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
test.each<[string, IDataObject, ...Array<{ from: unknown; to: unknown }>]>([
	['notFound', {}],
	['overdue', { deadline: null }, { from: null, to: A_TIME }],
	['priorityChanged', { priority: null }, { from: 'H', to: null }],
	['priorityChanged', { priority: 'H' }, { from: null, to: 'H' }],
])('A sample has an example of what changed: %s with %j', async (event, now, ...changed) => {
	sandbox.control.change(SEED.running, now);
	const trigger = await watch({ instanceIds: String(SEED.running), events: [event] });
	const [{ changes = {} } = {}] = (await trigger.poll('manual')) ?? [];
	expect(Object.values(changes ?? {})).toEqual(changed);
});

test.each(['typed in', 'by an expression'])('A test returns ten samples: IDs %s', async (how) => {
	const ids = sandbox.control.addInstances(25).reverse();
	const isTyped = how === 'typed in';
	const trigger = await watch({ instanceIds: isTyped ? ids.join() : `={{ [${ids}] }}` });
	fail(status(500), ...ids.slice(0, 1));
	const first = isTyped ? ids.slice(1, 11) : ids.slice(1, 10);
	expect(idsIn(await trigger.poll('manual'))).toEqual(first);
	expect(requested()).toHaveLength(isTyped ? 25 : 10);
});

test('A test in the editor says why there is no sample', async () => {
	const none = await watch({ instanceIds: '={{ [] }}' });
	await expect(none.poll('manual')).rejects.toThrow("'Instance IDs' contains no IDs at the moment");
	fail(status(500), SEED.bare);
	const broken = await watch({ instanceIds: String(SEED.bare) });
	await expect(broken.poll('manual')).rejects.toThrow('could not process the request');
	const missing = await watch({ instanceIds: String(SEED.unknown) });
	fail(respond(410), SEED.unknown);
	await expect(missing.poll('manual')).rejects.toThrow(/did not find \(410\)$/);
});

test('500 instances can be watched, and one that is entered twice is read once', async () => {
	const ids = sandbox.control.addInstances(500);
	await (await watch({ instanceIds: [...ids, ids[0]].join() })).activate();
	expect(sandbox.log()).toHaveLength(500);
});

const NO_INPUT = 'No node runs before a trigger';
const IDS_501 = [...Array(502).keys()].slice(1).join();
test.each<[string, INodeParameters, advice?: string]>([
	["'Instance IDs' is empty", { instanceIds: ' , ' }, 'Enter IDs separated by commas'],
	['501 instances, but one trigger can watch 500 at most', { instanceIds: IDS_501 }],
	["'Instance IDs' contains a list", { instanceIds: '={{ [[12]] }}' }, NO_INPUT],
	["'Instance IDs' is empty", { instanceIds: '={{ null }}' }, NO_INPUT],
	["'Instance IDs' can't be", { instanceIds: '={{ $json.ids }}' }, NO_INPUT],
	['on a.b, but the', { instanceIds: '={{ "http://a.b/instances/1/" }}' }, 'Use an ID or a URL on'],
	["'Trigger On' is empty", { events: [] }, 'Choose at least one event.'],
	["'Trigger On' is empty", { events: '={{ null }}' }, 'Choose at least one event.'],
	['"deleted" in \'Trigger On\' is not one of its options', { events: ['completed', 'deleted'] }],
	['"yes" in \'Include Already Finished\' is not true or false', { options: { emitFirst: 'yes' } }],
])('An invalid parameter is rejected: %s, %j', async (message, parameters, advice = '') => {
	const error = await thrown((await watch(parameters)).activate());
	expect(error.message).toContain(message);
	expect(error.description).toContain(advice);
	expect(sandbox.log()).toEqual([]);
});
