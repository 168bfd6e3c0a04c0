import { createSandbox, SEED } from '../../sandbox/service';
import type { FaultAction, SandboxHandle } from '../../sandbox/service';
import { clientOf } from './support';

describe('the rules of misbehaviour', () => {
	let sandbox: SandboxHandle;
	let client: ReturnType<typeof clientOf>;

	beforeAll(async () => {
		sandbox = await createSandbox();
		client = clientOf(sandbox);
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());

	const act = (action: FaultAction) => sandbox.control.addFault({ action });
	const remove = async () => await client.bulkDelete({ ids: [SEED.running] });

	describe('rules', () => {
		const teapot = { type: 'respond', status: 418 } as const;
		const statuses = async (count: number, id = SEED.running) => {
			const answers: number[] = [];
			for (let index = 0; index < count; index += 1) {
				answers.push((await client.get(id)).status);
			}
			return answers;
		};

		it('apply once unless told otherwise', async () => {
			act(teapot);
			expect(await statuses(2)).toEqual([418, 200]);
			expect(sandbox.control.faults()).toEqual([]);
		});

		it('apply a number of times, from the nth request on', async () => {
			sandbox.control.addFault({ match: { nth: 2 }, times: 2, action: teapot });
			expect(await statuses(5)).toEqual([200, 418, 418, 200, 200]);
		});

		it('apply without end with times 0, until cleared', async () => {
			sandbox.control.addFault({ times: 0, action: teapot });
			expect(await statuses(3)).toEqual([418, 418, 418]);
			expect(sandbox.control.faults()).toMatchObject([{ matched: 3, applied: 3 }]);
			sandbox.control.clearFaults();
			expect(await statuses(1)).toEqual([200]);
		});

		it('apply in the order in which they were added', async () => {
			act(teapot);
			act({ type: 'respond', status: 500 });
			expect(await statuses(3)).toEqual([418, 500, 200]);
		});

		it('look at the method', async () => {
			sandbox.control.addFault({ match: { method: 'post' }, action: teapot });
			expect(await statuses(1)).toEqual([200]);
			expect((await remove()).status).toBe(418);
		});

		it.each([/bulk\/delete$/, 'bulk/delete$'])('look at the path with %s', async (path) => {
			sandbox.control.addFault({ match: { path }, action: teapot });
			expect(await statuses(1)).toEqual([200]);
			expect((await remove()).status).toBe(418);
		});

		it('look at the ids in the path and in the body', async () => {
			sandbox.control.addFault({ match: { ids: [102, 104] }, times: 0, action: teapot });
			expect(await statuses(1)).toEqual([200]);
			expect(await statuses(1, 104)).toEqual([418]);
			expect((await client.bulkDelete({ ids: [103, 102] })).status).toBe(418);
			expect((await client.bulkDelete({ ids: [103] })).status).toBe(204);
			expect((await client.bulkDelete(null)).status).toBe(400);
		});

		it('do not concern paths outside of /api', async () => {
			act(teapot);
			expect((await fetch(`${sandbox.url}/elsewhere`)).status).toBe(404);
			expect(sandbox.control.faults()).toHaveLength(1);
		});

		it.each([
			{ action: { type: 'respond', status: 99 } },
			{ action: { type: 'applyThen', then: { type: 'emptyBody', status: 1000 } } },
			{ action: { type: 'delay', ms: -1 } },
			{ action: { type: 'reset' }, times: -1 },
			{ action: { type: 'reset' }, match: { nth: 0 } },
		] as const)('are refused when a number is out of bounds: %j', (rule) => {
			expect(() => sandbox.control.addFault(rule)).toThrow(RangeError);
		});

		it('are refused when the pattern cannot be read', () => {
			const rule = { match: { path: '(' }, action: teapot };
			expect(() => sandbox.control.addFault(rule)).toThrow(SyntaxError);
		});
	});
});
