import fc from 'fast-check';

import { expressionEngine } from '../../harness';

/** Roughly how many cases are tried for the values of each operation; more with `CASES=100000`. */
export const CASES = Number(process.env.CASES ?? (expressionEngine() === 'vm' ? 200 : 400));

/** A message must not contain a word that sounds like an accusation. */
export const PLAIN_WORDS = /^(?!.*(error|problem|failure|mistake))./is;

/** Settings of fast-check for a number of runs: the same cases each time, but new ones with `CASES`. */
export function settings(runs: number): fc.Parameters<unknown> {
	const numRuns = Math.max(1, Math.ceil(runs));
	// Shrinking a hundred items takes minutes, and the tests say which item failed anyway.
	const endOnFailure = true;
	if (process.env.CASES !== undefined) return { numRuns, endOnFailure };
	return { numRuns, endOnFailure, seed: 20_260_701 };
}
