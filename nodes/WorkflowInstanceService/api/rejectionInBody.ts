/** Keys under which a response that looks like success says what failed, or whether it was done. */
const FAILED = /^(errors?|failed|failures?|not_?(deleted|found))(_?(ids|instances|items|count))?$/i;
const DONE = /^(success|ok|deleted)$/i;
const STATUS = /^(status|result)$/i;

function isFilled(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
	return !['', '0', 'false', 'none', 'null'].includes(String(value));
}

function reports(key: string, value: unknown): boolean {
	if (FAILED.test(key)) return isFilled(value);
	const word = typeof value === 'object' ? '' : String(value);
	if (DONE.test(key)) return /^(false|no|0)$/i.test(word);
	return STATUS.test(key) && /^(error|fail|failed|failure|[45]\d\d)$/i.test(word);
}

/** Whether an object says, at its own level, that something failed: filled `errors`, `success: false` … */
export function reportsRejection(json: object): boolean {
	return Object.entries(json).some(([key, value]) => reports(key, value));
}
