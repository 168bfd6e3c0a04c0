import { serviceWords, type ServiceResponse } from '../../api/response';
import { idFromUri, plainId } from '../../values/ids';
import { asObject, parseJson } from '../../values/json';

const MULTI_STATUS = 207;
/** Keys under which services say what failed, whether it was done, and which IDs they deleted. */
const FAILED = /^(errors?|failed|failures?|not_?(deleted|found))(_?(ids|instances|items|count))?$/i;
const DONE = /^(success|ok|deleted(_?ids)?)$/i;
const STATUS = /^(status|result)$/i;
/** Values that say that there is nothing, or that something failed. */
const NOTHING = /^(|0|false|no|none|null)$/i;
const FAILURE = /^(error|fail|failed|failure|[45]\d\d)$/i;
/** Words by which text says that something failed. */
const WORDS_OF_FAILURE =
	/\b(errors?|fail(ed|ure)?|denied|forbidden|unauthorized|not (allowed|authorized))\b/i;

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
	if (STATUS.test(key)) return FAILURE.test(String(value));
	if (!DONE.test(key)) return false;
	const listed = Array.isArray(value) ? new Set(value.map(idOf)) : undefined;
	return listed ? sent.some((id) => !listed.has(id)) : isNothing(value);
}

/** Whether JSON names a refusal at any depth. */
function namesRefusal(json: unknown, sent: readonly number[]): boolean {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found = [json];
	for (const value of found) {
		if (typeof value !== 'object' || value === null) continue;
		const entries: Array<[string, unknown]> = Object.entries(value);
		if (entries.some(([key, entry]) => isRefusal(key, entry, sent))) return true;
		for (const [, entry] of entries) found.push(entry);
	}
	return false;
}

/**
 * Whether a 2xx response leaves open what was deleted (docs/dev/service-interface.md#undocumented). Nobody
 * promised a body, so no more is made of one than that it names a refusal.
 */
export function leavesOpen(response: ServiceResponse, sent: readonly number[]): boolean {
	const { status, headers, text } = response;
	const json = parseJson(text);
	if (status === MULTI_STATUS || json === false || namesRefusal(json, sent)) return true;
	if (text.trim() === '' || typeof json === 'object') return false;
	const isCutOff = json === undefined && /json/i.test(String(headers['content-type']));
	return isCutOff || WORDS_OF_FAILURE.test(serviceWords(response));
}
