import fc from 'fast-check';

import { expressionEngine } from '../../harness';

/** How many cases the values of each operation are tried with, about; more with `CASES=100000`. */
export const CASES = Number(process.env.CASES ?? (expressionEngine() === 'vm' ? 200 : 400));

/** What a message must be: not a word that sounds like an accusation. */
export const PLAIN_WORDS = /^(?!.*(error|problem|failure|mistake))./is;

/** Settings of fast-check, for so many runs: the same cases each time, but new ones with `CASES`. */
export function settings(runs: number): fc.Parameters<unknown> {
	const numRuns = Math.max(1, Math.ceil(runs));
	// Shrinking a hundred items takes minutes; the tests say which of them it was.
	const endOnFailure = true;
	if (process.env.CASES !== undefined) return { numRuns, endOnFailure };
	return { numRuns, endOnFailure, seed: 20_260_701 };
}
