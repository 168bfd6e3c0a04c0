import { createSandbox, SEED } from '../../sandbox/service';
import type { SandboxHandle } from '../../sandbox/service';
import { clientOf, parseObject } from './support';

const NOW = new Date('2026-07-01T10:00:00.000Z');
const { onboarding, invoiceApproval, purchaseRequest } = SEED.processes;

describe('the operations of the sandbox', () => {
	let sandbox: SandboxHandle;
	let client: ReturnType<typeof clientOf>;

	beforeAll(async () => {
		sandbox = await createSandbox({ now: NOW });
		client = clientOf(sandbox);
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());

	describe('get', () => {
		it('answers an instance with all its fields', async () => {
			const { status, headers, text } = await client.get(SEED.fullyFilled);

			expect(status).toBe(200);
			expect(headers['content-type']).toBe('application/json');
			expect(parseObject(text)).toEqual(sandbox.control.instance(SEED.fullyFilled));
			expect(parseObject(text)).toMatchObject({
				id: SEED.fullyFilled,
				url: `${sandbox.baseUrl}/instances/${SEED.fullyFilled}/`,
				process: client.process(invoiceApproval),
				completed_time: null,
				priority: 'H',
				tags: ['finance', 'urgent'],
			});
		});

		it('answers 404 for an id that does not exist, and for 0', async () => {
			for (const id of [SEED.unknown, 0]) {
				const { status, headers, text } = await client.get(id);
				expect(status).toBe(404);
				expect(headers['content-type']).toBe('application/json');
				expect(text).toBe('{"detail":"Not found."}');
			}
		});

		it('adds inputs and times to the snapshot when asked to', async () => {
			const snapshotOf = async (query: string) =>
				String(parseObject((await client.get(SEED.completed, query)).text).process_snapshot);

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
				const { status, text } = await client.get(SEED.running, `?${query}`);
				expect(status).toBe(400);
				expect(parseObject(text)).toEqual({
					[query.split('=')[0] ?? '']: ['Must be true or false.'],
				});
			},
		);

		it('refuses a query key that the interface does not have', async () => {
			const { status, text } = await client.get(SEED.running, '?expand=all');
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ expand: ['This field is not known.'] });
		});

		it('refuses a body', async () => {
			const { status, text } = await client.call(`/instances/${SEED.running}/`, {
				headers: { 'content-type': 'application/json' },
				body: '{}',
			});
			expect(status).toBe(400);
			expect(text).toContain('takes no body');
		});
	});

	describe('update', () => {
		it('replaces all properties and keeps them', async () => {
			const properties = {
				process: client.process(onboarding),
				name: 'Onboarding of Zoë Ångström 🚀',
				deadline: '2026-08-01T09:30:00.000+02:00',
				priority: 'V',
				tags: ['a', 'b'],
				step_assignments: [{ step_id: 1101, user_id: 7 }],
			};
			const { status, text } = await client.put(SEED.running, properties);

			expect(status).toBe(200);
			expect(parseObject(text)).toMatchObject(properties);
			expect(parseObject((await client.get(SEED.running)).text)).toEqual(parseObject(text));
		});

		it('gives every property left out its default', async () => {
			await client.put(SEED.fullyFilled, { process: client.process(invoiceApproval) });

			expect(sandbox.control.instance(SEED.fullyFilled)).toMatchObject({
				name: '',
				deadline: null,
				priority: null,
				tags: [],
				step_assignments: [],
			});
		});

		it('takes null for name, deadline and priority', async () => {
			const { status, text } = await client.put(SEED.fullyFilled, {
				process: client.process(invoiceApproval),
				name: null,
				deadline: null,
				priority: null,
			});
			expect(status).toBe(200);
			expect(parseObject(text)).toMatchObject({ name: null, deadline: null, priority: null });
		});

		it('notes when the instance was updated, and leaves the read-only rest', async () => {
			const before = sandbox.control.instance(SEED.running);
			await client.put(SEED.running, { process: client.process(onboarding) });
			const after = sandbox.control.instance(SEED.running);

			expect(Date.parse(after?.last_updated_time ?? '')).toBeGreaterThanOrEqual(NOW.getTime());
			expect(after?.started_time).toBe(before?.started_time);
			expect(after?.active_step_ids).toEqual(before?.active_step_ids);
			expect(after?.public_url).toBe(before?.public_url);
		});

		it('starts from the first step in another process', async () => {
			const { text } = await client.put(SEED.running, { process: client.process(invoiceApproval) });
			expect(parseObject(text)).toMatchObject({ active_step_ids: [1201], stage: 'Recording' });
		});

		it('refuses a name where the process names its instances', async () => {
			const before = sandbox.control.instance(SEED.autoNamed);
			const { status, text } = await client.put(SEED.autoNamed, {
				process: client.process(purchaseRequest),
				name: 'Mine',
			});
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({
				name: [expect.stringContaining('automatic naming')],
			});
			expect(sandbox.control.instance(SEED.autoNamed)).toEqual(before);
		});

		it.each([{}, { name: '' }, { name: null }])(
			'makes a name of its own in such a process for %j',
			async (name) => {
				const { status, text } = await client.put(SEED.autoNamed, {
					process: client.process(purchaseRequest),
					deadline: '2026-09-30T12:00:00Z',
					...name,
				});
				expect(status).toBe(200);
				expect(parseObject(text).name).toBe('Purchase request 00103, due 2026-09-30');
			},
		);

		it('answers 404 for an id that does not exist, whatever the body', async () => {
			const { status, text } = await client.put(SEED.unknown, { nonsense: true });
			expect(status).toBe(404);
			expect(parseObject(text)).toEqual({ detail: 'Not found.' });
		});
	});

	describe('bulk delete', () => {
		it('deletes the instances and answers 204 with no body', async () => {
			const { status, headers, text } = await client.bulkDelete({
				ids: SEED.completedLongAgo,
			});
			expect(status).toBe(204);
			expect(text).toBe('');
			expect(headers['content-type']).toBeUndefined();
			expect(sandbox.control.ids()).toEqual(
				SEED.all.filter((id) => !SEED.completedLongAgo.includes(id)),
			);
			expect((await client.get(SEED.completedLongAgo[0] ?? 0)).status).toBe(404);
		});

		it('passes over ids that do not exist', async () => {
			expect((await client.bulkDelete({ ids: [SEED.unknown, SEED.running] })).status).toBe(204);
			expect((await client.bulkDelete({ ids: [SEED.unknown, SEED.running] })).status).toBe(204);
			expect(sandbox.control.instance(SEED.running)).toBeUndefined();
		});

		it('deletes nothing and names the ids that do not exist, where it is set to refuse them', async () => {
			sandbox.control.configure({ unknownIds: 'refused' });
			const { status, text } = await client.bulkDelete({ ids: [SEED.unknown, SEED.running] });
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ ids: [`Instance ${SEED.unknown} does not exist.`] });
			expect(sandbox.control.instance(SEED.running)).toBeDefined();
			expect((await client.bulkDelete({ ids: [SEED.running] })).status).toBe(204);
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
			const { status, text } = await client.bulkDelete(body);
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual(messages);
			expect(sandbox.control.ids()).toEqual(SEED.all);
		});

		it('names the places of ids that are no integers', async () => {
			const { text } = await client.bulkDelete({ ids: [101, '102', 1.5, null] });
			const message = ['A valid integer is required.'];
			expect(parseObject(text)).toEqual({ ids: { 1: message, 2: message, 3: message } });
		});

		it('takes thousands of ids at once', async () => {
			const ids = sandbox.control.addInstances(20_000);
			expect((await client.bulkDelete({ ids })).status).toBe(204);
			expect(sandbox.control.ids()).toEqual(SEED.all);
		});
	});
});
