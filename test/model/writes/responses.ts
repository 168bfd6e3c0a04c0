import fc from 'fast-check';

import type { Handler, ValueOf } from '../service';

/** What a response contains, with words of the service; test/engine/responses.test.ts has many more. */
const BODIES = {
	nothing: () => '',
	words: (said: string) => JSON.stringify({ detail: said }),
	failure: (said: string) => JSON.stringify({ detail: said, failed: 1 }),
	/** Of a gateway, as a rule. */
	page: (said: string) => `<html><title>${said}</title></html>`,
};

/** A response that has one of these statuses; 0 is a lost connection. */
export const anyBehavior = (statuses: number[]) =>
	fc.record({
		status: fc.constantFrom(...statuses),
		body: fc.constantFrom<keyof typeof BODIES>('nothing', 'words', 'words', 'failure', 'page'),
		/** Which IDs are deleted where nobody learns it: bit n stands for the nth, of eight. */
		mask: fc.constantFrom(0, 0b1111_1111, 0b0101_0101, 0b0000_1111),
	});

export type Behavior = ValueOf<ReturnType<typeof anyBehavior>>;

export const HEALTHY: Behavior = { status: 204, body: 'nothing', mask: 0 };
export const LOST: Behavior = { status: 0, body: 'nothing', mask: 0b0101_0101 };

/** What a response says of the IDs of its request; the contract says nothing of the last. */
export type Meaning = 'done' | 'rejected' | 'unknown' | 'rateLimited' | 'vague';

/** What the contract says of a response to a request with so many IDs. */
export function meaningOf({ status, body }: Behavior, count: number): Meaning {
	if (status === 204) return 'done';
	if (status === 0 || status === 207 || status >= 500) return 'unknown';
	if (status < 300) return body === 'page' || body === 'failure' ? 'unknown' : 'done';
	if (status === 429) return 'rateLimited';
	if ([400, 401, 403, 422].includes(status)) return 'rejected';
	if (![404, 409, 410].includes(status) || (count === 1 && body === 'page')) return 'vague';
	return count > 1 ? 'unknown' : 'rejected';
}

/**
 * The service: knows which instances exist, which were deleted by which request, and what it said.
 *
 * @param behaviorFor what becomes of the next request to delete
 */
export function createService(behaviorFor: (ids: number[]) => Behavior) {
	const deletions: Array<{ ids: number[]; status: number; meaning: Meaning; words: string }> = [];
	const gone = new Set<number>();
	const isThere = (id: number) => !gone.has(id);
	const remove = (ids: number[]): [number, string] => {
		const behavior = behaviorFor(ids);
		const { status, body, mask } = behavior;
		const meaning = meaningOf(behavior, ids.length);
		const said = `said${deletions.length}so`;
		const content = status === 204 ? '' : BODIES[body](said);
		const words = status !== 0 && content.includes(said) ? said : '';
		deletions.push({ ids, status, meaning, words });
		ids.forEach((id, at) => {
			const isDone = meaning === 'done' || (meaning === 'unknown' && (mask >> at % 8) % 2 === 1);
			if (isDone) gone.add(id);
		});
		return [status, content];
	};
	const handler: Handler = ({ method, id, sent }) => {
		if (method === 'POST') return remove(JSON.parse(sent).ids);
		return id % 5 === 0
			? [404, '{"detail":"No"}']
			: [200, JSON.stringify({ id, process: 'x', name: 'A' })];
	};
	return { deletions, isThere, handler };
}
