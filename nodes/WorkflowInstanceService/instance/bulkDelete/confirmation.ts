import { reportsRejection } from '../../api/rejectionInBody';
import { serviceWords, type ServiceResponse } from '../../api/response';
import { idFromUri, plainId } from '../../values/ids';
import { asObject, parseJson } from '../../values/json';

/** Keys under which services list what they deleted. */
const DELETED = /^deleted(_?ids)?$/i;
const MULTI_STATUS = 207;
/** Words by which text says that something failed. */
const FAILED =
	/\b(false|errors?|fail(ed|ure)?|denied|forbidden|unauthorized|not (allowed|authorized))\b/i;

/** The ID that an entry of a list is, or contains. */
function idOf(entry: unknown): number | undefined {
	const { id = entry } = asObject(entry);
	return plainId(id) ?? idFromUri(id, 'instances');
}

/** Whether a list of what was deleted leaves out some of the IDs. */
function isPartial([key, value]: [string, unknown], sent: readonly number[]): boolean {
	if (!DELETED.test(key) || !Array.isArray(value)) return false;
	const listed = new Set(value.map(idOf));
	return sent.some((id) => !listed.has(id));
}

/** Whether JSON says, at any depth, that something was not deleted. */
function reportsRefusal(json: object, sent: readonly number[]): boolean {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found: unknown[] = [json];
	for (const value of found) {
		if (typeof value !== 'object' || value === null) continue;
		const entries = Object.entries(value);
		if (reportsRejection(value) || entries.some((entry) => isPartial(entry, sent))) return true;
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
	if (status === MULTI_STATUS) return true;
	if (typeof json === 'object' && json !== null) return reportsRefusal(json, sent);
	const isCutOff = json === undefined && /json/i.test(String(headers['content-type']));
	return (isCutOff && text.trim() !== '') || FAILED.test(serviceWords(response));
}
