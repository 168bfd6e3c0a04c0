import fc from 'fast-check';

import type { Handler } from '../service';

/** What a body contains in place of these texts. */
const MARKS: Record<string, (ids: number[], words: string) => unknown> = {
	$ALL: (ids) => ids,
	$COUNT: (ids) => ids.length,
	$FEWER: (ids) => ids.length - 1,
	$OBJECTS: (ids) => ids.map((id) => ({ id })),
	$SOME: (ids) => ids.slice(1),
	$SOME_OBJECTS: (ids) => ids.slice(1).map((id) => ({ id })),
	$SOME_TEXTS: (ids) => ids.slice(1).map(String),
	$WORDS: (_, words) => words,
};

/** Words, which mean nothing; a text is all of the body. */
const WORDS = [
	...[
		'',
		'$WORDS',
		'<html><title>$WORDS</title></html>',
		{ detail: '$WORDS' },
		{ ids: ['$WORDS'] },
	],
	...[{ info: [{ message: '$WORDS' }] }, { message: '$WORDS', note: 'Some failed: access denied' }],
];

/** Flags and figures that fit a success. */
const NEUTRAL = [
	...[
		{ deleted: '$COUNT', success: true },
		{ deleted: '$ALL' },
		{ instances: '$OBJECTS', ok: true },
	],
	{ errors: [], failed: 0, error: null, hasErrors: false, skipped: {}, rejected: '', state: 'ok' },
];

const FAILURE_KEYS =
	'error hasErrors fail failed_ids totalFailures FAILED_COUNT rejectedIds refused skipped denied forbidden locked missing_ids invalid not_deleted notDeleted';
const VALUES: unknown[] = [[7], 1, true, 'x', { 7: 'x' }, [{ reason: 'x' }]];

/** What says, also beside an instance, that not all was done. */
export const FAILURES: object[] = [
	...[{ success: false }, { isSuccess: false }, { ok: false }, { statusCode: 500 }],
	...FAILURE_KEYS.split(' ').flatMap((key) => VALUES.map((value) => ({ [key]: value }))),
];

/** What says so of a list of IDs. */
const FAILURES_OF_SOME: object[] = [
	...[{ code: 400 }, { deleted: '$FEWER' }, { removed: '$FEWER' }, { deleted_count: '$FEWER' }],
	...[{ '': '$SOME' }, { result: '$SOME' }, { a: '$SOME_TEXTS' }, { a: '$SOME_OBJECTS' }],
	...['error', 'fail', 'failed', 'partial', 'rejected', 'denied'].map((status) => ({ status })),
	...[{ state: 'forbidden' }, { state: 'failed' }],
];

const anyBody = fc.record({
	words: fc.constantFrom(...WORDS),
	neutral: fc.constantFrom<object>({}, ...NEUTRAL),
	failure: fc.oneof(
		fc.constant(undefined),
		fc.constantFrom(...FAILURES),
		fc.constantFrom(...FAILURES_OF_SOME),
	),
	/** Keys around all of it; `*` is a list. */
	nesting: fc.array(fc.constantFrom('data', 'result', '*'), { maxLength: 2 }),
});

/** A response that has one of these statuses; 0 is a lost connection. */
export const anyBehavior = (statuses: number[]) =>
	fc.record({
		status: fc.constantFrom(...statuses),
		body: anyBody,
		/** Which IDs are deleted where nobody learns it: bit n stands for the nth, of eight. */
		mask: fc.constantFrom(0, 0b1111_1111, 0b0101_0101, 0b0000_1111),
	});

/** What an arbitrary generates. */
export type ValueOf<T> = T extends fc.Arbitrary<infer V> ? V : never;
export type Behavior = ValueOf<ReturnType<typeof anyBehavior>>;

const EMPTY: Behavior['body'] = { words: '', neutral: {}, failure: undefined, nesting: [] };
export const HEALTHY: Behavior = { status: 204, body: EMPTY, mask: 0 };
export const LOST: Behavior = { status: 0, body: EMPTY, mask: 0b0101_0101 };

/** A text or a web page, of a gateway as a rule. */
export const isText = ({ body: { words } }: Behavior) => typeof words === 'string' && words !== '';

function contentOf(behavior: Behavior, ids: number[], said: string): string {
	const { status, body } = behavior;
	if (status === 204) return '';
	if (isText(behavior)) return String(body.words).replace('$WORDS', said);
	const parts = [body.words, ...(status < 300 ? [body.neutral, body.failure] : [])];
	const all: Record<string, unknown> = Object.assign({}, ...parts);
	const keys = Object.keys(all).join();
	if (keys === '' && !('' in all)) return '';
	const value = body.nesting.reduce<unknown>(
		(inner, key) => (key === '*' ? [inner] : { [key]: inner }),
		keys === '' ? all[''] : all,
	);
	return JSON.stringify(value, (_, part: unknown) =>
		typeof part === 'string' && part in MARKS ? MARKS[part]?.(ids, said) : part,
	);
}

/** What a response says of the IDs of its request; the contract says nothing of the last two. */
export type Meaning = 'done' | 'rejected' | 'unknown' | 'rateLimited' | 'accepted' | 'vague';

/** What the contract says of a response to a request with so many IDs. */
export function meaningOf(behavior: Behavior, count: number): Meaning {
	const { status, body } = behavior;
	if (status === 204) return 'done';
	if (status === 0 || status === 207 || status >= 500) return 'unknown';
	if (status < 300 && isText(behavior)) return body.words === '$WORDS' ? 'done' : 'accepted';
	// Of one ID, there is no "some but not all".
	const isFailure = !JSON.stringify(body.failure ?? '$SOME').includes('$SOME') || count > 1;
	if (status < 300) return body.failure !== undefined && isFailure ? 'unknown' : 'done';
	if (status === 429) return 'rateLimited';
	if ([400, 401, 403, 422].includes(status)) return 'rejected';
	if (![404, 409, 410].includes(status) || (count === 1 && isText(behavior))) return 'vague';
	return count > 1 ? 'unknown' : 'rejected';
}

/**
 * The service: knows which instances exist, which were deleted by which request, and what it said.
 *
 * @param behaviorFor what becomes of the next request to delete
 */
export function createService(behaviorFor: (ids: number[]) => Behavior) {
	const deletions: Array<{
		ids: number[];
		status: number;
		meaning: Meaning;
		words: string;
		behavior: Behavior;
	}> = [];
	const gone = new Set<number>();
	const isThere = (id: number) => !gone.has(id);
	const remove = (ids: number[]): [number, string] => {
		const behavior = behaviorFor(ids);
		const { status, mask } = behavior;
		const meaning = meaningOf(behavior, ids.length);
		const said = `said${deletions.length}so`;
		const content = contentOf(behavior, ids, said);
		const words = status !== 0 && content.includes(said) ? said : '';
		deletions.push({ ids, status, meaning, words, behavior });
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
