import { SEED } from '../../sandbox/service';
import { parseObject, useSandbox } from './support';

const WRONG_DEADLINE = [expect.stringContaining('Datetime has wrong format')];
const NOT_TEXT = ['Not a valid string.'];
const REQUIRED = ['This field is required.'];
const NO_INTEGER = ['A valid integer is required.'];

describe('an update of the sandbox', () => {
	const service = useSandbox();

	describe('fields', () => {
		const put = async (fields: object) =>
			await service.client.put(SEED.running, {
				process: service.client.process(SEED.processes.onboarding),
				...fields,
			});

		it.each([
			[{ name: 'x'.repeat(256) }, { name: ['Ensure this field has no more than 255 characters.'] }],
			[{ name: 5 }, { name: NOT_TEXT }],
			[{ deadline: '2026-07-01' }, { deadline: WRONG_DEADLINE }],
			[{ deadline: '2026-07-01T10:00:00' }, { deadline: WRONG_DEADLINE }],
			[{ deadline: '2026-07-01 10:00:00Z' }, { deadline: WRONG_DEADLINE }],
			[{ deadline: '2026-02-30T10:00:00Z' }, { deadline: WRONG_DEADLINE }],
			[{ deadline: '' }, { deadline: WRONG_DEADLINE }],
			[{ deadline: 1782900000 }, { deadline: NOT_TEXT }],
			[{ priority: 'regular' }, { priority: [expect.stringContaining('Not a valid choice')] }],
			[{ priority: '' }, { priority: [expect.stringContaining('Not a valid choice')] }],
			[{ tags: null }, { tags: ['Expected a list of items.'] }],
			[{ tags: 'a,b' }, { tags: ['Expected a list of items.'] }],
			[{ tags: ['a', 5, null] }, { tags: { 1: NOT_TEXT, 2: NOT_TEXT } }],
			[{ step_assignments: null }, { step_assignments: ['Expected a list of items.'] }],
			[{ step_assignments: [{ step_id: 1 }] }, { step_assignments: { 0: { user_id: REQUIRED } } }],
			[
				{ step_assignments: [{ step_id: '1', user_id: null }] },
				{ step_assignments: { 0: { step_id: NO_INTEGER, user_id: NO_INTEGER } } },
			],
			[{ id: 101 }, { id: ['This field is read-only.'] }],
			[{ stage: 'Review' }, { stage: ['This field is read-only.'] }],
			[{ url: null }, { url: ['This field is read-only.'] }],
			[{ colour: 'red' }, { colour: ['This field is not known.'] }],
			[{ detail: 'x' }, { detail: ['This field is not known.'] }],
			[{ constructor: 'x' }, { constructor: ['This field is not known.'] }],
		])('refuses %j', async (fields, messages) => {
			const before = service.sandbox.control.instance(SEED.running);
			const { status, text } = await put(fields);
			expect(status).toBe(400);
			expect(JSON.parse(text)).toEqual(messages);
			expect(service.sandbox.control.instance(SEED.running)).toEqual(before);
		});

		it('refuses __proto__ as a key like any other', async () => {
			const { status, text } = await service.client.call(`/instances/${SEED.running}/`, {
				method: 'PUT',
				headers: { 'content-type': 'application/json' },
				body: `{"process":"${service.client.process(11)}","__proto__":{}}`,
			});
			expect(status).toBe(400);
			expect(text).toBe('{"__proto__":["This field is not known."]}');
		});

		it.each([
			{ name: '🚀'.repeat(255) },
			{ deadline: '2026-07-01T10:00:00Z' },
			{ deadline: '2026-07-01T10:00:00.123456+05:30' },
			{ tags: ['a', 'a', ''] },
			{ step_assignments: [{ step_id: 1, user_id: 2 }] },
		])('takes %j', async (fields) => {
			const { status, text } = await put(fields);
			expect(status).toBe(200);
			expect(parseObject(text)).toMatchObject(fields);
		});

		it('requires the process', async () => {
			const { status, text } = await service.client.put(SEED.running, {});
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ process: REQUIRED });
		});

		it.each([
			'11',
			'/api/processes/11/',
			'https://elsewhere.example/api/processes/11/',
			'{base}/processes/11',
			'{base}/processes/0/',
			'{base}/processes/-11/',
			'{base}/processes/011/',
			'{base}/processes/11/x/',
			'{base}/instances/11/',
			'{base}/processes/999/',
			'',
			null,
			11,
		])('refuses the process %s', async (pattern) => {
			const process =
				typeof pattern === 'string' ? pattern.replace('{base}', service.sandbox.baseUrl) : pattern;
			const { status, text } = await put({ process });
			expect(status).toBe(400);
			expect(Object.keys(parseObject(text))).toEqual(['process']);
		});
	});
});
