import { createContract, INSTANCE_FIELDS, SEED } from '../../sandbox/service';
import type { ContractRequest, ContractResponse } from '../../sandbox/service';
import { useSandbox } from './support';

const BASE_URL = 'https://service.example/api';
const HEADERS = { Authorization: 'Api-Key secret', 'Content-Type': 'application/json' };
const GET: ContractRequest = { method: 'GET', path: '/api/instances/12/', headers: HEADERS };
const PUT = { ...GET, method: 'PUT', body: `{"process":"${BASE_URL}/processes/3/"}` };
const DELETE = { ...GET, method: 'POST', path: '/api/instances/bulk/delete', body: '{"ids":[1]}' };
const EMPTY = { ...DELETE, status: 204, body: undefined };

describe('the description', () => {
	const service = useSandbox();

	it('tells the fields of an instance', () => {
		const fields = Object.keys(service.control.instance(SEED.running) ?? {});
		expect(fields).toEqual([...INSTANCE_FIELDS.settable, ...INSTANCE_FIELDS.readOnly]);
	});
});

describe('the contract', () => {
	const contract = createContract({ baseUrl: BASE_URL });

	it.each<[ContractRequest, Partial<ContractRequest>, ...messages: string[]]>([
		[GET, { path: `${GET.path}?inject_values=true&steps_time_frame=false` }],
		[PUT, { headers: { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8' } }],
		[DELETE, {}],
		[GET, { method: 'PATCH' }, 'method: /api/instances/12/ takes no PATCH'],
		[GET, { headers: {} }, 'headers.authorization: must be Api-Key <key>'],
		[DELETE, { body: '{"ids":[1,null]}' }, 'body.ids.1: must be integer'],
	])('judges %j with %j', (request, change, ...messages) => {
		const violations = contract.validateRequest({ ...request, ...change });
		expect(violations.map(({ message }) => message)).toEqual(messages);
	});

	it.each<[ContractResponse, ...messages: string[]]>([
		[EMPTY],
		[{ ...GET, status: 418 }, 'status: 418 is not described'],
		[{ ...GET, status: 404, body: {} }, "body.detail: must have required property 'detail'"],
	])('judges the response %j', (response, ...messages) => {
		const violations = contract.validateResponse(response);
		expect(violations.map(({ message }) => message)).toEqual(messages);
	});
});
