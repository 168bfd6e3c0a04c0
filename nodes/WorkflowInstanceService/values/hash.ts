import { createHash } from 'crypto';

const LENGTH = 16;

/** A short text that stands for a value that JSON can hold: the same for the same, another for another. */
export function shortHash(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, LENGTH);
}
