import fc from 'fast-check';

import { expressionEngine } from '../../harness';

/** How many cases the values of each operation are tried with, about; more with `CASES=100000`. */
export const CASES = Number(process.env.CASES ?? (expressionEngine() === 'vm' ? 200 : 400));

/** What a message must be: not a word that sounds like an accusation. */
export const PLAIN_WORDS = /^(?!.*(error|problem|failure|mistake))./is;

/**
 * Settings of fast-check: the same cases in each run of the suite, new ones with `CASES`.
 *
 * @param runs how often to run the property; at least once
 */
export function settings(runs: number): fc.Parameters<unknown> {
	const numRuns = Math.max(1, Math.ceil(runs));
	// Shrinking a hundred items takes minutes; the tests say which of them it was.
	const endOnFailure = true;
	if (process.env.CASES !== undefined) return { numRuns, endOnFailure };
	return { numRuns, endOnFailure, seed: 20_260_701 };
}

const WORDS = [
	...'__proto__ constructor toString hasOwnProperty null undefined NaN true'.split(' '),
	...'[ [] {} [1,2 ["a",1,null] {"a":1} 1/../../users ../1 1?x=2 1;2 1e3 0x10 ٣ 007 -1 1.5 ,'.split(
		' ',
	),
	'https://other.example/api/processes/11/',
	'https://other.example/api/instances/101/',
	"'; DROP TABLE instances; --",
	'<script>alert(1)</script>',
	'{{ $json.id }}',
	...['\u0000', '\ud800', '\u200b', '   ', '\r\n', 'a,b\nc', 'x'.repeat(256), '😀'.repeat(5_000)],
];
const NUMBERS: unknown[] = [0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 - 1, 1e21, 1e300, 5e-324];
const OBJECTS: unknown[] = [
	...[{}, { value: 1 }, { constructor: 1 }, { length: 1 }, { id: 1 }, { toString: 1, valueOf: 1 }],
	...[[[]], [null], [[1]], [{}], [{ step_id: 1 }], [{ step_id: 1.5, user_id: 2 }]],
	{ assignment: [{ stepId: 1, userId: 2 }] },
	[{ step_id: 1, user_id: 2, extra: 3 }],
];

/**
 * Anything that an item may hold where a parameter looks, as JSON; undefined stands for nothing.
 *
 * @param usable values that the parameter takes, so that these are tried as well
 */
export function hostileValue(usable: unknown[]): fc.Arbitrary<unknown> {
	return fc.oneof(
		fc.constantFrom(...usable),
		fc.constantFrom<unknown>(undefined, null, true, false, ...NUMBERS, ...OBJECTS),
		fc.constantFrom(...WORDS),
		fc.string({ unit: 'binary', maxLength: 40 }),
		fc.string({ unit: 'grapheme', minLength: 200, maxLength: 300 }),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.integer(),
		fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 5 }),
		fc.jsonValue({ maxDepth: 3 }),
	);
}
