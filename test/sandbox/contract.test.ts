import { OpenAPIBackend } from 'openapi-backend';

import { createContract, INSTANCE_FIELDS, SEED } from '../../sandbox/service';
import type { ContractRequest, ContractResponse } from '../../sandbox/service';
import { DESCRIPTION_PATH } from '../../sandbox/service/interface/description';
import { useSandbox } from './support';

const BASE_URL = 'https://service.example/api';
const PROCESS = `"process":"${BASE_URL}/processes/3/"`;
const TYPE = 'Content-Type';
const HEADERS = { Authorization: 'Api-Key secret', [TYPE]: 'application/json' };
const GET: ContractRequest = { method: 'GET', path: '/api/instances/12/', headers: HEADERS };
const PUT: ContractRequest = { ...GET, method: 'PUT', body: `{${PROCESS}}` };
const DELETE = {
	...GET,
	method: 'POST',
	path: '/api/instances/bulk/delete',
	body: '{"ids":[1,2]}',
};
const EMPTY = { ...DELETE, status: 204, body: undefined };
const KEY_DEMAND = 'headers.authorization: must be Api-Key <key>';
const surplus = (at: string) => `${at}: must NOT have additional properties`;
const unknown = (path: string) => `path: the interface has no path ${path}`;

describe('the description', () => {
	const service = useSandbox();

	it('is valid OpenAPI', async () => {
		const api = new OpenAPIBackend({ definition: DESCRIPTION_PATH, strict: true, validate: false });
		await api.init();
		const operations = api.getOperations().map(({ operationId }) => operationId);
		expect(operations).toEqual(['getInstance', 'updateInstance', 'deleteInstances']);
	});

	it('tells the fields of an instance', () => {
		const fields = Object.keys(service.control.instance(SEED.running) ?? {});
		expect(fields).toEqual([...INSTANCE_FIELDS.settable, ...INSTANCE_FIELDS.readOnly]);
	});
});

describe('the contract', () => {
	const contract = createContract({ baseUrl: BASE_URL });

	it.each<[ContractRequest, Partial<ContractRequest>, ...messages: unknown[]]>([
		[GET, { path: `${GET.path}?inject_values=true&steps_time_frame=false` }],
		[GET, { path: '/api/instances/0/', headers: { authorization: 'Api-Key x' } }],
		[PUT, { headers: { ...HEADERS, [TYPE]: 'application/json; charset=utf-8' } }],
		[DELETE, {}],
		[GET, { path: '/api/instances/12' }, unknown('/api/instances/12')],
		[GET, { path: '/api/instances/1e3/' }, unknown('/api/instances/1e3/')],
		[GET, { method: 'PATCH' }, 'method: /api/instances/12/ takes no PATCH'],
		[GET, { headers: {} }, KEY_DEMAND],
		[GET, { headers: { authorization: 'Api-Key Api-Key x' } }, KEY_DEMAND],
		[GET, { path: `${GET.path}?e=1` }, surplus('query.e')],
		[GET, { path: `${GET.path}?inject_values=1` }, 'query.inject_values: must be boolean'],
		[GET, { body: '{}' }, 'body: must be empty'],
		[PUT, { body: undefined }, "body: must have required property 'requestBody'"],
		[PUT, { body: '{"process' }, expect.stringMatching(/^body: is not JSON: /)],
		[PUT, { body: '"text"' }, 'body: must be object'],
		[PUT, { body: `{${PROCESS},"a/b":1}` }, surplus('body.a/b')],
		[PUT, { body: `{${PROCESS},"tags":["",1]}` }, 'body.tags.1: must be string'],
		[
			PUT,
			{ body: '{"process":"https://other.example/api/processes/3/"}' },
			`body.process: must be ${BASE_URL}/processes/<id>/`,
		],
		[
			DELETE,
			{ headers: { ...HEADERS, [TYPE]: 'text/plain' } },
			"headers.content-type: must be application/json, was 'text/plain'",
		],
	])('judges %j with %j', (request, change, ...messages) => {
		const violations = contract.validateRequest({ ...request, ...change });
		expect(violations.map(({ message }) => message)).toEqual(messages);
	});

	it.each<[ContractResponse, ...messages: string[]]>([
		[EMPTY],
		[{ ...EMPTY, body: {} }, 'body: must be null'],
		[{ ...GET, status: 418 }, 'status: 418 is not described'],
		[{ ...GET, status: 404 }, 'body: must be object'],
		[{ ...GET, status: 404, body: {} }, "body.detail: must have required property 'detail'"],
	])('judges the response %j', (response, ...messages) => {
		const violations = contract.validateResponse(response);
		expect(violations.map(({ message }) => message)).toEqual(messages);
	});
});
