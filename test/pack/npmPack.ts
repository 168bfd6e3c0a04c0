import { isRecord } from '../../sandbox/guards';

/** The one package in the answer of `npm pack --json`: of a list, or (newer npm) of an object. */
export function packedIn(answer: string): Record<string, unknown> {
	const parsed: unknown = JSON.parse(answer);
	const packed: unknown = isRecord(parsed) || Array.isArray(parsed) ? Object.values(parsed)[0] : {};
	if (isRecord(packed)) return packed;
	throw new Error('npm packed nothing.');
}
