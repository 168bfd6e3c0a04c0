/** Keys by which responses that look like success say that something was rejected. */
const REJECTING =
	/^(?:is_?|has_?)?(errors?|exceptions?|faults?|fail(ed|ures?)?|not_?(deleted|found|allowed)|rejected|refused|skipped|missing|ignored|denied|forbidden|unauthorized|invalid)(_?(ids|instances|items|counts?|messages?|codes?))?$/i;
/** Keys whose value says whether it was done. */
const CONFIRMING = /^(is_?)?(success(ful)?|ok|accepted|deleted|removed|result)$/i;
const NO = /^(false|no|0)$/i;
const STATUS = /^(status|result|outcome|(status_?)?code)$/i;
const FAILED = /^(error|fail|partial|reject|refus|denied|forbidden|not[ _]?found|[45]\d\d$)/i;
const NOTHING = /^(|false|no|none|null|0)$/i;

/** Whether a key of a response says that something was rejected: filled `errors`, `success: false` … */
export function rejects(key: string, value: unknown): boolean {
	const isNested = typeof value === 'object' && value !== null;
	const word = isNested ? '' : String(value).trim();
	if (REJECTING.test(key)) return isNested ? Object.keys(value).length > 0 : !NOTHING.test(word);
	return (CONFIRMING.test(key) && NO.test(word)) || (STATUS.test(key) && FAILED.test(word));
}

/** Whether an object says that something was rejected, at its own level. */
export function reportsRejection(json: object): boolean {
	return Object.entries(json).some(([key, value]) => rejects(key, value));
}
