import { api, createSandbox, DEFAULTS, INSTANCE_FIELDS, SEED } from '../../sandbox/service';
import type { Instance, SandboxHandle } from '../../sandbox/service';
import { VirtualClock } from '../harness/virtualClock';

const RUNNING = `/instances/${SEED.running}/`;
const DELETE = '/instances/bulk/delete';
const PROCESS_ELSEWHERE = '{"process":"https://other.example/api/processes/11/"}';
const clock = new VirtualClock();
let sandbox: SandboxHandle;

beforeAll(async () => {
	sandbox = await createSandbox({ clock });
});
beforeEach(() => sandbox.control.reset());
afterAll(async () => await sandbox.close());

interface Sent {
	body?: string;
	key?: string;
	type?: string;
}

/** Sends a request, and expects a response as openapi.yaml describes it. */
async function call(method: string, path: string, { body, key, type }: Sent = {}) {
	const response = await fetch(`${sandbox.baseUrl}${path}`, {
		method,
		headers: {
			authorization: `Api-Key ${key ?? sandbox.apiKey}`,
			'content-type': type ?? 'application/json',
		},
		body,
	});
	const text = await response.text();
	const value: unknown = text === '' ? undefined : JSON.parse(text);
	const { status, headers } = response;
	const operation = api.matchOperation({ method, path: `/api${path}`, headers: {} });
	expect(api.validateResponse(value ?? null, operation ?? 'getInstance', status).errors).toBeNull();
	return { status, value, retryAfter: headers.get('retry-after') };
}

test('The sandbox returns every seeded instance as the description says', async () => {
	const { settable, readOnly } = INSTANCE_FIELDS;
	for (const id of SEED.all) {
		const full = `/instances/${id}/?inject_values=true&steps_time_frame=true`;
		expect((await call('GET', full)).status).toBe(200);
		const { value } = await call('GET', `/instances/${id}/`);
		expect(value).toEqual(sandbox.control.instance(id));
		expect(Object.keys(value ?? {})).toEqual([...settable, ...readOnly]);
	}
	expect(JSON.stringify(sandbox.control.log())).not.toContain(sandbox.apiKey);
});

test.each<[string, string, Sent, number, string]>([
	['GET', RUNNING, { key: 'wrong' }, 401, '{"detail":"Invalid API key."}'],
	['GET', `/instances/${SEED.unknown}/`, {}, 404, '{"detail":"Not found."}'],
	['GET', `${RUNNING}?inject_values=1`, {}, 400, '{"inject_values":["must be boolean"]}'],
	['GET', '/instances/0101/', {}, 404, '{"detail":"Not found."}'],
	['PATCH', RUNNING, {}, 405, '{"detail":"Method \\"PATCH\\" not allowed."}'],
	['PUT', RUNNING, {}, 400, '{"requestBody":["must have required property'],
	['PUT', RUNNING, { body: '{"a": ' }, 400, '{"detail":"The request'],
	['PUT', RUNNING, { body: PROCESS_ELSEWHERE }, 400, '{"process":["must begin with http://127'],
	['PUT', RUNNING, { body: '{"id":7}' }, 400, '{"process":["must have required property'],
	['PUT', RUNNING, { body: '{}', type: 'text/plain' }, 415, 'Unsupported media type'],
	['POST', DELETE, { body: '{"ids":[101,"2"]}' }, 400, '{"ids":["1 must be integer"]}'],
])('The sandbox rejects %s %s with %j: %d', async (method, path, sent, status, words) => {
	const received = await call(method, path, sent);
	expect(received.status).toBe(status);
	expect(JSON.stringify(received.value)).toContain(words);
	expect(sandbox.control.ids()).toEqual(SEED.all);
});

test.each<Partial<Instance>>([
	{ name: '🚀'.repeat(255), tags: ['a', 'a', ''], step_assignments: [{ step_id: 1, user_id: 2 }] },
	{ name: null, deadline: '2026-07-01T10:00:00.123456+05:30', priority: 'V' },
])('The sandbox replaces all fields by %j and the defaults', async (fields) => {
	const before = sandbox.control.instance(SEED.running);
	const process = `${sandbox.baseUrl}/processes/${SEED.processes.onboarding}/`;
	const { value } = await call('PUT', RUNNING, { body: JSON.stringify({ process, ...fields }) });
	const last_updated_time = new Date(clock.now()).toISOString();
	expect(value).toEqual({ ...before, ...DEFAULTS, last_updated_time, ...fields });
	expect(sandbox.control.instance(SEED.running)).toEqual(value);
});

test('The sandbox deletes instances, and ignores unknown IDs', async () => {
	const body = JSON.stringify({ ids: [SEED.unknown, SEED.running] });
	expect((await call('POST', DELETE, { body })).status).toBe(204);
	expect(sandbox.control.ids()).toEqual(SEED.all.filter((id) => id !== SEED.running));
});

const statuses = async (count: number) => {
	const received: number[] = [];
	while (received.length < count) received.push((await call('GET', RUNNING)).status);
	return received;
};

test('The sandbox limits the rate, and says when the next request is let through', async () => {
	sandbox.control.setRateLimit({ requests: 3, seconds: 10 });
	expect(await statuses(4)).toEqual([200, 200, 200, 429]);
	await clock.sleep(9_999);
	expect((await call('GET', RUNNING)).retryAfter).toBe('1');
	await clock.sleep(1);
	expect(await statuses(4)).toEqual([200, 200, 200, 429]);
	expect(sandbox.control.stats()).toMatchObject({ inFlight: 0, byStatus: { 200: 6, 429: 3 } });
});
