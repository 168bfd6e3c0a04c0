import { DEFAULTS, type Instance, SEED } from '../../sandbox/service';
import { type Sent, useSandbox } from './support';

const { onboarding } = SEED.processes;
const RUNNING = `/instances/${SEED.running}/`;
const DELETE = '/instances/bulk/delete';
const NO_OBJECT = { non_field_errors: ['Invalid data. Expected a dictionary.'] };
const NOT_TEXT = ['Not a valid string.'];
const NO_INTEGER = ['A valid integer is required.'];

describe('the operations of the sandbox', () => {
	const service = useSandbox();
	const put = async (fields: object) => {
		const process = service.process(onboarding);
		return await service.checked('PUT', RUNNING, { process, ...fields });
	};

	it('reads every instance as described', async () => {
		for (const id of SEED.all) {
			const path = `/instances/${id}/`;
			const full = await service.checked('GET', `${path}?inject_values=true&steps_time_frame=true`);
			expect(full.status).toBe(200);
			expect((await service.checked('GET', path)).value).toEqual(service.control.instance(id));
		}
	});

	it.each<[authorization: string, status: number]>([
		['Api-Key wrong', 401],
		['Api-Key sandbox-forbidden-key', 403],
	])('refuses the key "%s" with %d', async (authorization, status) => {
		const ids = [SEED.running];
		const received = await service.checked('POST', DELETE, { ids }, { headers: { authorization } });
		expect(received.status).toBe(status);
		expect(service.control.ids()).toEqual(SEED.all);
	});

	it.each<[method: string, path: string, sent: Sent, status: number, value: unknown]>([
		['GET', `${RUNNING}?inject_values=1`, {}, 400, { inject_values: ['Must be true or false.'] }],
		['PUT', RUNNING, {}, 400, { detail: 'A request body is required.' }],
		['PUT', RUNNING, { body: '{"a": ' }, 400, { detail: expect.stringMatching(/^JSON could/) }],
		['PUT', RUNNING, { body: 'null' }, 400, NO_OBJECT],
		['PUT', RUNNING, { body: '{"__proto__":1,"process":5}' }, 400, { process: NOT_TEXT }],
		['PUT', RUNNING, { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, {}],
		['POST', DELETE, { body: '{"ids":[]}' }, 400, { ids: ['This list may not be empty.'] }],
		['POST', DELETE, { body: '{"ids":[101,101]}' }, 400, { ids: [expect.stringMatching('twice')] }],
		['POST', DELETE, { body: '{"ids":[101,"2"]}' }, 400, { ids: { 1: NO_INTEGER } }],
	])('refuses %s %s with %j', async (method, path, sent, status, value) => {
		const received = await service.checked(method, path, undefined, sent);
		expect(received).toMatchObject({ status, value });
		expect(service.control.ids()).toEqual(SEED.all);
	});

	it.each<Partial<Instance>>([
		{ name: '🚀'.repeat(255) },
		{ name: null, deadline: '2026-07-01T10:00:00.123456+05:30', priority: 'V' },
		{ tags: ['a', 'a', ''], step_assignments: [{ step_id: 1, user_id: 2 }] },
	])('replaces all by the values of row %# and the defaults', async (fields) => {
		const before = service.control.instance(SEED.running);
		const { value } = await put(fields);
		const last_updated_time = new Date(service.clock.now()).toISOString();
		expect(value).toEqual({ ...before, ...DEFAULTS, last_updated_time, ...fields });
		expect(service.control.instance(SEED.running)).toEqual(value);
	});

	it('deletes, and passes over unknown IDs or refuses them', async () => {
		const ids = [SEED.unknown, SEED.running];
		service.control.configure({ unknownIds: 'refused' });
		const refused = await service.checked('POST', DELETE, { ids });
		expect(refused.value).toEqual({ ids: [`Instance ${SEED.unknown} does not exist.`] });
		expect(service.control.ids()).toEqual(SEED.all);
		service.control.configure({ unknownIds: 'passedOver' });
		expect((await service.checked('POST', DELETE, { ids })).status).toBe(204);
		expect(service.control.ids()).toEqual(SEED.all.filter((id) => id !== SEED.running));
	});
});
