import { OpenAPIBackend } from 'openapi-backend';
import { createContract, createSandbox, SEED } from '../../sandbox/service';
import type { ContractRequest, ContractResponse } from '../../sandbox/service';
import { DESCRIPTION_PATH } from '../../sandbox/service/interface/description';
import { clientOf, parseObject } from './support';

const BASE_URL = 'https://service.example/api';
const HEADERS = { Authorization: 'Api-Key secret', 'Content-Type': 'application/json' };
const UPDATE = { process: `${BASE_URL}/processes/3/` };

const GET: ContractRequest = { method: 'GET', path: '/api/instances/12/', headers: HEADERS };
const PUT: ContractRequest = { ...GET, method: 'PUT', body: UPDATE };
const DELETE: ContractRequest = {
	method: 'POST',
	path: '/api/instances/bulk/delete',
	headers: HEADERS,
	body: { ids: [1, 2] },
};

describe('the description', () => {
	it('is valid OpenAPI', async () => {
		const api = new OpenAPIBackend({ definition: DESCRIPTION_PATH, strict: true, validate: false });
		await api.init();
		expect(api.getOperations().map(({ operationId }) => operationId)).toEqual([
			'getInstance',
			'updateInstance',
			'deleteInstances',
		]);
	});
});

describe('the contract', () => {
	const contract = createContract({ baseUrl: BASE_URL });
	const messages = (request: ContractRequest) =>
		contract.validateRequest(request).map(({ message }) => message);

	describe('of requests', () => {
		it.each([
			GET,
			{ ...GET, path: '/api/instances/12/?inject_values=true&steps_time_frame=false' },
			{ ...GET, path: '/api/instances/0/', headers: { authorization: 'Api-Key x' } },
			PUT,
			{ ...PUT, body: JSON.stringify(UPDATE) },
			{ ...PUT, headers: { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8' } },
			DELETE,
		])('takes %j', (request) => {
			expect(messages(request)).toEqual([]);
		});

		it.each<[Partial<ContractRequest>, string]>([
			[{ path: '/api/instances/12' }, 'path: the interface has no path /api/instances/12'],
			[{ path: '/instances/12/' }, 'path: the interface has no path /instances/12/'],
			[{ path: '/api/instances/1e3/' }, 'path: the interface has no path /api/instances/1e3/'],
			[{ method: 'PATCH' }, 'method: /api/instances/12/ takes no PATCH'],
			[{ headers: {} }, 'headers.authorization: must be Api-Key <key>'],
			[
				{ headers: { authorization: 'Api-Key Api-Key x' } },
				'headers.authorization: must be Api-Key <key>',
			],
			[{ headers: { authorization: 'Api-Key ' } }, 'headers.authorization: must be Api-Key <key>'],
			[
				{ path: '/api/instances/12/?expand=1' },
				'query.expand: must NOT have additional properties',
			],
			[{ path: '/api/instances/12/?inject_values=1' }, 'query.inject_values: must be boolean'],
			[{ body: '{}' }, 'body: must be empty'],
		])('says what is wrong with GET and %j', (change, message) => {
			expect(messages({ ...GET, ...change })).toEqual([message]);
		});

		it.each<[unknown, string]>([
			[undefined, "body: must have required property 'requestBody'"],
			['{"process', expect.stringMatching(/^body: is not JSON: /)],
			[{ ...UPDATE, id: 1 }, 'body.id: must NOT have additional properties'],
			[{ ...UPDATE, 'a/b': 1 }, 'body.a/b: must NOT have additional properties'],
			[{ ...UPDATE, tags: ['a', null] }, 'body.tags.1: must be string'],
			[
				{ process: 'https://other.example/api/processes/3/' },
				`body.process: must be ${BASE_URL}/processes/<id>/`,
			],
		])('says what is wrong with PUT and the body %j', (body, message) => {
			expect(messages({ ...PUT, body })).toEqual([message]);
		});

		it('says what is wrong with the content type', () => {
			const headers = { authorization: 'Api-Key x', 'content-type': 'text/plain' };
			expect(messages({ ...DELETE, headers })).toEqual([
				"headers.content-type: must be application/json, was 'text/plain'",
			]);
		});

		it('knows no base URL unless told', () => {
			const body = { process: 'https://other.example/api/processes/3/' };
			expect(createContract().validateRequest({ ...PUT, body })).toEqual([]);
		});
	});

	describe('of answers', () => {
		const answer = (change: Partial<ContractResponse>): ContractResponse => ({
			method: 'GET',
			path: GET.path,
			status: 404,
			body: { detail: 'Not found.' },
			...change,
		});
		const found = (response: ContractResponse) =>
			contract.validateResponse(response).map(({ message }) => message);

		it('takes what the sandbox answers', async () => {
			const sandbox = await createSandbox();
			const client = clientOf(sandbox);
			for (const id of [...SEED.all, SEED.unknown]) {
				const { status, text } = await client.get(id, '?inject_values=true');
				expect(found(answer({ status, body: parseObject(text) }))).toEqual([]);
			}
			await sandbox.close();
		});

		it('takes an empty answer where one is described', () => {
			const { method, path } = DELETE;
			const empty = answer({ method, path, status: 204, body: undefined });
			expect(found(empty)).toEqual([]);
			expect(found({ ...empty, body: {} })).toEqual(['body: must be null']);
		});

		it.each<[Partial<ContractResponse>, string]>([
			[{ status: 418 }, 'status: 418 is not described'],
			[{ body: undefined }, 'body: must be object'],
			[{ body: {} }, "body.detail: must have required property 'detail'"],
			[{ body: '<html>' }, 'body: must be object'],
			[{ path: '/api/users/' }, 'path: the interface has no path /api/users/'],
		])('says what is wrong with %j', (change, message) => {
			expect(found(answer(change))).toEqual([message]);
		});

		it('says what is wrong with an instance', async () => {
			const sandbox = await createSandbox();
			const { text } = await clientOf(sandbox).get(SEED.running);
			await sandbox.close();
			const body = { ...parseObject(text), stage: '', process_snapshot: {}, extra: 1 };
			expect(found(answer({ status: 200, body })).sort()).toEqual([
				'body.extra: must NOT have additional properties',
				'body.process_snapshot: must be string',
				'body.stage: must NOT have fewer than 1 characters',
			]);
		});
	});
});
