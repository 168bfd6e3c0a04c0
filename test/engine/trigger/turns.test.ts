import type { Reads } from '../../../nodes/WorkflowInstanceService/trigger/readInstances';
import { inTurn, turnsAfter } from '../../../nodes/WorkflowInstanceService/trigger/turns';
import { UserFacingError } from '../../../nodes/WorkflowInstanceService/values/userFacingError';

const STATUSES: Record<number, string> = { 3: '503', 4: '404' };
const error = (id: number) => new UserFacingError('No.', 'Why.').with({ httpCode: STATUSES[id] });
const errors: Reads['errors'] = new Map([3, 4, 2].map((id) => [id, error(id)]));
const dated = { instance: {}, readAt: 0, serviceTime: undefined };
const found = (...ids: number[]): Reads['found'] => new Map(ids.map((id) => [id, dated]));
const NOTHING: Reads = { found: found(), errors: new Map(), open: [], waiting: [] };

test.each<[asked: number[], late: number[], Partial<Reads>, next: number[], late: number[]]>([
	[[1, 2], [], {}, [1], []],
	[[1, 2], [], { found: found(1, 2) }, [], []],
	[[1, 2, 3, 4, 5, 6], [6], { found: found(1), errors }, [5], [6, 3, 2]],
	[[1, 2, 3, 4, 5], [], { open: [1, 2, 3], waiting: [2, 9] }, [2, 4], [1, 3]],
	[[1, 2, 7, 8, 9], [7, 8, 9, 5], { found: found(1, 8), open: [7, 9], waiting: [9] }, [2], [9, 7]],
])('after a poll of %j, with %j late, row %# has its turn', (asked, before, reads, next, late) => {
	expect(turnsAfter(asked, { ...NOTHING, ...reads }, before)).toEqual({ next, late });
});

test.each([
	{ next: [], late: [], order: [1, 2, 3, 4, 5, 6] },
	{ next: [6, 4], late: [3, 9], order: [6, 4, 5, 1, 3, 2] },
	{ next: [5, 9], late: [2, 1], order: [5, 3, 4, 6, 2, 1] },
])('IDs have their turn as in %j', ({ order, ...turns }) => {
	expect(inTurn([1, 2, 3, 4, 5, 6], turns)).toEqual(order);
});
