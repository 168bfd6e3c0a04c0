import { idFromUri, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { isPrintable } from '../values/userFacingError';

/** Keys under which services say what failed, whether it was done, and which IDs they deleted. */
const FAILED = /^(errors?|failed|failures?|not_?(deleted|found))(_?(ids|instances|items|count))?$/i;
const DONE = /^(success|ok|deleted(_?ids)?)$/i;
const STATUS = /^(status|result)$/i;
/** Values that say that there is nothing, or that something failed. */
const NOTHING = /^(|0|false|no|none|null)$/i;
const FAILURE = /^(error|fail|failed|failure|[45]\d\d)$/i;

function isNothing(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return NOTHING.test(String(value));
	return Object.keys(value).length === 0;
}

/** The ID that an entry of a list is, or contains. */
function idOf(entry: unknown): number | undefined {
	const { id = entry } = asObject(entry);
	return plainId(id) ?? idFromUri(id, 'instances');
}

/** Whether a key says that something failed, or leaves some of the IDs out of what was deleted. */
function isRefusal(key: string, value: unknown, sent: readonly number[]): boolean {
	if (FAILED.test(key)) return !isNothing(value);
	if (STATUS.test(key)) return isPrintable(value) && FAILURE.test(String(value));
	if (!DONE.test(key)) return false;
	const listed = Array.isArray(value) ? new Set(value.map(idOf)) : undefined;
	return listed ? sent.some((id) => !listed.has(id)) : isNothing(value);
}

/**
 * Whether an object in a 2xx response says, at its own level, that something failed: filled `errors`,
 * `success: false` … Of `sent`, it may also leave some IDs out of what was deleted.
 */
export function reportsRefusal(json: object, sent: readonly number[] = []): boolean {
	return Object.entries(json).some(([key, value]) => isRefusal(key, value, sent));
}
