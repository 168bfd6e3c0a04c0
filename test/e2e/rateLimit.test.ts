import { SEED } from '../../sandbox/service';
import { httpRequestWorkflow } from './support/httpRequest';
import { addNamedInstances } from './support/instances';
import { useStack } from './support/stack';

const stack = useStack();
const COUNT = 1_000;
const PER_SECOND = 50;
const AT_A_TIME = 10;

describe(`${COUNT} updates at a service that lets ${PER_SECOND} requests a second through`, () => {
	let ids: number[];
	beforeEach(() => {
		const { control } = stack().sandbox;
		ids = addNamedInstances(control, COUNT);
		control.setRateLimit({ perSecond: PER_SECOND });
	});
	const answered = (status: number) =>
		stack()
			.sandbox.control.log()
			.filter((entry) => entry.status === status)
			.map(({ method, url }) => `${method} ${url}`);

	test('finish, none is refused, none is sent more often than needed', async () => {
		const { control } = stack().sandbox;
		const { execution, success } = await stack().run(
			{
				operation: 'update',
				instanceId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				updateFields: { addTags: 'moved' },
			},
			ids.map((id) => ({ id })),
		);
		expect(execution.status).toBe('success');
		expect(success.map(({ json }) => json.id)).toEqual(ids);
		expect(ids.filter((id) => !control.instance(id)?.tags.includes('moved'))).toEqual([]);
		// Each is read once and written once.
		expect(answered(200).sort()).toEqual(
			ids.flatMap((id) => ['GET', 'PUT'].map((method) => `${method} /api/instances/${id}/`)).sort(),
		);
		// After the first refusal nothing new is sent until the time that the service asked for.
		const fillings = (2 * COUNT) / PER_SECOND;
		const refused = answered(429).length;
		expect(refused).toBeGreaterThan(0);
		expect(refused).toBeLessThanOrEqual(fillings * AT_A_TIME);
		expect(control.stats().requests).toBe(2 * COUNT + refused);
	});

	test("are not finished by n8n's HTTP Request node", async () => {
		const { control, baseUrl } = stack().sandbox;
		const workflow = httpRequestWorkflow(
			{
				method: 'PUT',
				url: `=${baseUrl}/instances/{{ $json.id }}/`,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ { process: '${baseUrl}/processes/${SEED.processes.onboarding}/', tags: ['moved'] } }}`,
			},
			JSON.stringify(ids.map((id) => ({ id }))),
			stack().credential,
		);
		const id = await stack().n8n.rest.createWorkflow(workflow);
		const { status, data } = await stack().n8n.rest.runWorkflow(id, { timeoutMs: 240_000 });
		expect(status).toBe('error');
		expect(data.resultData.error).toMatchObject({ httpCode: '429' });
		expect(answered(429).length).toBeGreaterThan(0);
		expect(ids.some((one) => !control.instance(one)?.tags.includes('moved'))).toBe(true);
	});
});
