import { appendFileSync } from 'node:fs';
import type fc from 'fast-check';

/** How often each kind of disagreement was found, by a key, in this file's tests. */
const found: string[] = [];

/** Notes that the package did another thing than the contract says. */
export function report(
	kind: string,
	what: string,
	input: unknown,
	expected: unknown,
	actual: unknown,
): void {
	const line = `${kind} | ${what} | ${JSON.stringify(input)} | expected ${String(expected)} | got ${JSON.stringify(actual)}`;
	found.push(line);
	if (process.env.FINDINGS) appendFileSync(process.env.FINDINGS, `${line}\n`);
}

afterEach(() => {
	const lines = found.splice(0);
	if (!process.env.FINDINGS) expect(lines).toEqual([]);
});

/** Settings of fast-check: the same cases in each run of the suite, new ones with `CASES`. */
export function settings(runs: number): fc.Parameters<unknown> {
	const numRuns = Math.max(1, Math.ceil(runs));
	if (process.env.CASES !== undefined) return { numRuns, endOnFailure: true };
	return { numRuns, endOnFailure: true, seed: 20_260_701 };
}
