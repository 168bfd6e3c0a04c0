import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { runNode } from '../harness';
import { locator } from './support/sandbox';

const API_KEY = 'key-of-a-test';
const BASE_URL = 'https://service.test/api';
const SETTABLE = {
	process: `${BASE_URL}/processes/7/`,
	name: 'Claim',
	deadline: null,
	priority: 'H',
	tags: ['a'],
	step_assignments: [{ step_id: 1, user_id: 2 }],
};
const INSTANCE = { ...SETTABLE, id: 42, stage: 'Running' };

/** The service of docs/dev/service-interface.md#endpoints, which knows only the requests of that page. */
const service = () => nock(BASE_URL, { reqheaders: { authorization: `Api-Key ${API_KEY}` } });
const run = async (parameters: INodeParameters) =>
	await runNode({ parameters, credentials: { baseUrl: BASE_URL, apiKey: API_KEY } });

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
	const pending = nock.pendingMocks();
	nock.cleanAll();
	expect(pending).toEqual([]);
});
afterAll(() => nock.restore());

test('Get sends one request, without a body', async () => {
	service()
		.get('/instances/42/', (body) => body === '')
		.reply(200, INSTANCE);
	const { outputs } = await run({ instanceId: locator(42), output: 'raw' });
	expect(outputs[0]?.map(({ json }) => json)).toEqual([INSTANCE]);
});

test('Update reads, and sends all six fields that a client can set, and no others', async () => {
	const updateFields = { name: 'Next' };
	service().get('/instances/42/').reply(200, INSTANCE);
	service()
		.put('/instances/42/', { ...SETTABLE, ...updateFields })
		.reply(200, { ...INSTANCE, ...updateFields });
	const { error } = await run({ operation: 'update', instanceId: locator(42), updateFields });
	expect(error).toBeUndefined();
});

test('Bulk Delete sends the IDs as numbers, to a path without a slash at the end', async () => {
	service()
		.post('/instances/bulk/delete', { ids: [42, 43] })
		.reply(204);
	const { outputs } = await run({ operation: 'bulkDelete', instanceIds: '42, 43' });
	const deleted = [42, 43].map((id) => ({ id, deleted: true }));
	expect(outputs[0]?.map(({ json }) => json)).toEqual(deleted);
});
