/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text at a key of an unknown value.
 * @throws when there is no such text; `what` names the thing in the message
 */
export function textAt(value: unknown, key: string, what: string): string {
	const text = isRecord(value) ? value[key] : undefined;
	if (typeof text === 'string') return text;
	throw new Error(`${what} has no text at '${key}'.`);
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
