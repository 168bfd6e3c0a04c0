import { SEED } from '../../sandbox/service';
import { parseObject, useSandbox } from './support';

const NOW = new Date('2026-07-01T10:00:00.000Z');
const { onboarding, invoiceApproval, purchaseRequest } = SEED.processes;

describe('the operations of the sandbox', () => {
	const service = useSandbox({ now: NOW });

	describe('get', () => {
		it('answers an instance with all its fields', async () => {
			const { status, headers, text } = await service.client.get(SEED.fullyFilled);

			expect(status).toBe(200);
			expect(headers['content-type']).toBe('application/json');
			expect(parseObject(text)).toEqual(service.sandbox.control.instance(SEED.fullyFilled));
			expect(parseObject(text)).toMatchObject({
				id: SEED.fullyFilled,
				url: `${service.sandbox.baseUrl}/instances/${SEED.fullyFilled}/`,
				process: service.client.process(invoiceApproval),
				completed_time: null,
				priority: 'H',
				tags: ['finance', 'urgent'],
			});
		});

		it('adds inputs and times to the snapshot when asked to', async () => {
			const snapshotOf = async (query: string) =>
				String(
					parseObject((await service.client.get(SEED.completed, query)).text).process_snapshot,
				);

			const plain = await snapshotOf('');
			expect(plain).not.toContain('"value"');
			expect(plain).not.toContain('"completed_time"');
			expect(await snapshotOf('?inject_values=false&steps_time_frame=false')).toBe(plain);

			const values = await snapshotOf('?inject_values=true');
			expect(values).toContain('"value":"EUR"');
			expect(values).not.toContain('"completed_time"');

			const both = await snapshotOf('?inject_values=true&steps_time_frame=true');
			expect(both).toContain('"value":"EUR"');
			expect(both).toMatch(/"completed_time":"2026-/);
		});

		it.each(['inject_values=1', 'inject_values=', 'inject_values=True', 'steps_time_frame=no'])(
			'refuses the query %s',
			async (query) => {
				const { status, text } = await service.client.get(SEED.running, `?${query}`);
				expect(status).toBe(400);
				expect(parseObject(text)).toEqual({
					[query.split('=')[0] ?? '']: ['Must be true or false.'],
				});
			},
		);

		it('refuses a query key that the interface does not have', async () => {
			const { status, text } = await service.client.get(SEED.running, '?expand=all');
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ expand: ['This field is not known.'] });
		});

		it('refuses a body', async () => {
			const { status, text } = await service.client.call(`/instances/${SEED.running}/`, {
				headers: { 'content-type': 'application/json' },
				body: '{}',
			});
			expect(status).toBe(400);
			expect(text).toContain('takes no body');
		});
	});

	describe('update', () => {
		it('notes when the instance was updated, and leaves the read-only rest', async () => {
			const before = service.sandbox.control.instance(SEED.running);
			await service.client.put(SEED.running, { process: service.client.process(onboarding) });
			const after = service.sandbox.control.instance(SEED.running);

			expect(Date.parse(after?.last_updated_time ?? '')).toBeGreaterThanOrEqual(NOW.getTime());
			expect(after?.started_time).toBe(before?.started_time);
			expect(after?.active_step_ids).toEqual(before?.active_step_ids);
			expect(after?.public_url).toBe(before?.public_url);
		});

		it('starts from the first step in another process', async () => {
			const { text } = await service.client.put(SEED.running, {
				process: service.client.process(invoiceApproval),
			});
			expect(parseObject(text)).toMatchObject({ active_step_ids: [1201], stage: 'Recording' });
		});

		it('refuses a name where the process names its instances', async () => {
			const before = service.sandbox.control.instance(SEED.autoNamed);
			const { status, text } = await service.client.put(SEED.autoNamed, {
				process: service.client.process(purchaseRequest),
				name: 'Mine',
			});
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({
				name: [expect.stringContaining('automatic naming')],
			});
			expect(service.sandbox.control.instance(SEED.autoNamed)).toEqual(before);
		});

		it.each([{}, { name: '' }, { name: null }])(
			'makes a name of its own in such a process for %j',
			async (name) => {
				const { status, text } = await service.client.put(SEED.autoNamed, {
					process: service.client.process(purchaseRequest),
					deadline: '2026-09-30T12:00:00Z',
					...name,
				});
				expect(status).toBe(200);
				expect(parseObject(text).name).toBe('Purchase request 00103, due 2026-09-30');
			},
		);

		it('answers 404 for an id that does not exist, whatever the body', async () => {
			const { status, text } = await service.client.put(SEED.unknown, { nonsense: true });
			expect(status).toBe(404);
			expect(parseObject(text)).toEqual({ detail: 'Not found.' });
		});
	});

	describe('bulk delete', () => {
		it('passes over ids that do not exist', async () => {
			expect((await service.client.bulkDelete({ ids: [SEED.unknown, SEED.running] })).status).toBe(
				204,
			);
			expect((await service.client.bulkDelete({ ids: [SEED.unknown, SEED.running] })).status).toBe(
				204,
			);
			expect(service.sandbox.control.instance(SEED.running)).toBeUndefined();
		});

		it('deletes nothing and names the ids that do not exist, where it is set to refuse them', async () => {
			service.sandbox.control.configure({ unknownIds: 'refused' });
			const { status, text } = await service.client.bulkDelete({
				ids: [SEED.unknown, SEED.running],
			});
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ ids: [`Instance ${SEED.unknown} does not exist.`] });
			expect(service.sandbox.control.instance(SEED.running)).toBeDefined();
			expect((await service.client.bulkDelete({ ids: [SEED.running] })).status).toBe(204);
		});

		it.each([
			[{ ids: [] }, { ids: ['This list may not be empty.'] }],
			[{}, { ids: ['This field is required.'] }],
			[{ ids: '101' }, { ids: ['Expected a list of items.'] }],
			[{ ids: null }, { ids: ['Expected a list of items.'] }],
			[{ ids: [101, 101] }, { ids: ['This list may not contain an item twice.'] }],
			[{ ids: [101], force: true }, { force: ['This field is not known.'] }],
			[[101], { non_field_errors: ['Invalid data. Expected a dictionary.'] }],
		])('refuses %j and deletes nothing', async (body, messages) => {
			const { status, text } = await service.client.bulkDelete(body);
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual(messages);
			expect(service.sandbox.control.ids()).toEqual(SEED.all);
		});

		it('names the places of ids that are no integers', async () => {
			const { text } = await service.client.bulkDelete({ ids: [101, '102', 1.5, null] });
			const message = ['A valid integer is required.'];
			expect(parseObject(text)).toEqual({ ids: { 1: message, 2: message, 3: message } });
		});
	});
});
