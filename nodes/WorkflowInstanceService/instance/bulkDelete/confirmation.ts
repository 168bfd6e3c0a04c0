import { serviceWords, type ServiceResponse } from '../../api/response';
import { reportsRefusal } from '../refusal';

const MULTI_STATUS = 207;
/** Words by which text says that something failed. */
const WORDS_OF_FAILURE =
	/\b(errors?|fail(ed|ure)?|denied|forbidden|unauthorized|not (allowed|authorized))\b/i;

/** Whether JSON names a refusal at any depth. */
function namesRefusal(json: unknown, sent: readonly number[]): boolean {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found = [json];
	for (const value of found) {
		if (typeof value !== 'object' || value === null) continue;
		if (reportsRefusal(value, sent)) return true;
		for (const entry of Object.values(value)) found.push(entry);
	}
	return false;
}

/**
 * Whether a 2xx response leaves open what was deleted (docs/dev/service-interface.md#undocumented). Nobody
 * promised a body, so no more is made of one than that it names a refusal.
 */
export function leavesOpen(response: ServiceResponse, sent: readonly number[]): boolean {
	const { status, headers, text, json } = response;
	if (status === MULTI_STATUS || json === false || namesRefusal(json, sent)) return true;
	if (text.trim() === '' || typeof json === 'object') return false;
	const isCutOff = json === undefined && /json/i.test(String(headers['content-type']));
	return isCutOff || WORDS_OF_FAILURE.test(serviceWords(response));
}
