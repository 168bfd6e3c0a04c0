import type { ServiceResponse } from '../api/response';
import { instanceIdIn, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { isPrintable } from '../values/text';
import { INSTANCE_KEYS } from './output';

const MULTI_STATUS = 207;
/** Keys that report a failure, but not `clock`, `unlocked` or `permission`. */
const FAILURE =
	/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c|un_?)lock|(?<!dis_?)miss(?!i[ov])|invalid|not[ _-]?deleted/i;
const SUCCESS = /^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i;
/** For these, only `false` is a failure: 0 may be a count or an exit code. */
const DONE = /^(is[_-]?)?(accepted|applied|result|saved|updated)$/i;
const STATUS_CODE = /^(http|status)[_-]?(code|status)$/i;
/** An instance itself may have keys like these. */
const STATUS = /^(status|state|result|code)$/i;
const FAILED =
	/^\s*(errors?|fail(ed|ure)?|partial[\w-]*|rejected|denied|forbidden|refused|locked|skipped|missing|invalid|not[_-]?deleted|[a-z]+[_-]with[_-]errors?)\s*$/i;
const OF_DELETIONS =
	'(total|n|num(ber)?|cnt|count|of|successful(ly)?|ids?|instances?|items?|objects?|records?|rows?|is|was)';
/** A key about deletions, such as `deleted`, `removed_count` or `rowsDeleted`. Just `delete` may be a permission. */
const DELETIONS = new RegExp(
	`^(?!(delete|remove)s?$)(${OF_DELETIONS}[ _-]?)*(delet(e[ds]?|ions?)|remov(e[ds]?|als?))([ _-]?${OF_DELETIONS})*$`,
	'i',
);

/** Whether a value, or any value inside it, passes a test together with its key. For entries of a list, that's ''. */
function someEntry(body: unknown, test: (key: string, value: unknown) => boolean): boolean {
	// A growing list instead of recursion, since a body may be nested deeper than the call stack allows.
	const entries: Array<[string, unknown]> = [['', body]];
	for (const [key, value] of entries) {
		if (test(key, value)) return true;
		const inside: Array<[string, unknown]> = Array.isArray(value)
			? value.map((each) => ['', each])
			: Object.entries(asObject(value));
		for (const entry of inside) entries.push(entry);
	}
	return false;
}

/** Whether a value is empty, 0, false or null, or contains only such values and no IDs as keys. */
function isEmptyOrFalse(value: unknown): boolean {
	const isFilled = (each: unknown) =>
		typeof each !== 'object' && !/^(0|false|null)?$/i.test(String(each).trim());
	return !someEntry(value, (key, each) => plainId(key) !== undefined || isFilled(each));
}

function isFalse(value: unknown): boolean {
	return isPrintable(value) && /^\s*(0|false)\s*$/i.test(String(value));
}

function isSuccessStatus(value: unknown): boolean {
	return Math.floor(Number(value) / 100) === 2;
}

function isFailedStatus(value: unknown): boolean {
	return isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400);
}

/** Whether an entry reports a failure, by a flag or a figure. Words are never interpreted. */
function isFailure(key: string, value: unknown): boolean {
	// With words separated, so that `docLocked` isn't taken for a clock.
	if (FAILURE.test(key.replace(/(?<=[a-z])(?=[A-Z])/g, '_'))) return !isEmptyOrFalse(value);
	if (SUCCESS.test(key)) return isFalse(value);
	if (DONE.test(key) && value === false) return true;
	return STATUS_CODE.test(key) && Number(value) >= 400;
}

/** Whether a number of deletions, or of the entries in a list of them, is lower than the number of IDs sent. */
function isFewer(value: unknown, sent: ReadonlySet<number>): boolean {
	const { count = value } = asObject(value);
	const number = Array.isArray(count) ? count.length : count;
	// Number(true) is 1.
	if (!isPrintable(number) || number === true) return false;
	return isFalse(number) || Number(number) < sent.size;
}

/** Whether the entries of a list, or the keys of an object, include some of the IDs that were sent, but not all. */
function hasPart(value: unknown, sent: ReadonlySet<number>): boolean {
	const entries: unknown[] = Array.isArray(value) ? value : Object.keys(asObject(value));
	const ids = entries.map((entry) => {
		const { instance_id = entry, id = instance_id } = asObject(entry);
		return instanceIdIn(id);
	});
	const present = new Set(ids.filter((id) => id !== undefined && sent.has(id)));
	return present.size > 0 && present.size < sent.size;
}

/**
 * Whether a 2xx response reports a failure (docs/dev/service-interface.md#undocumented). If it contains an
 * instance, only keys next to the instance's own count.
 * @param reportedIds the instances that it reports on, e.g. after a deletion. Then all keys count, at any depth.
 */
export function reportsFailure(
	{ status, json }: Pick<ServiceResponse, 'status' | 'json'>,
	reportedIds: readonly number[] = [],
): boolean {
	if (status === MULTI_STATUS || json === false) return true;
	const sent = new Set(reportedIds);
	if (sent.size === 0) return Object.entries(asObject(json)).some((entry) => isFailure(...entry));
	return someEntry(
		json,
		(key, value) =>
			isFailure(key, value) ||
			(STATUS.test(key) && isFailedStatus(value)) ||
			(DELETIONS.test(key) && isFewer(value, sent)) ||
			(sent.has(Number(key)) && (value === false || isFailedStatus(value))) ||
			// An instance's own lists, such as its steps, aren't about other instances.
			(!INSTANCE_KEYS.includes(key) && hasPart(value, sent)),
	);
}

/** Whether a rejected deletion reports that something was deleted, as `{"detail": "Locked.", "deleted": [1]}` does. */
export function reportsDeletion(json: unknown, sentIds: readonly number[]): boolean {
	const sent = new Set(sentIds);
	return someEntry(
		json,
		(key, value) =>
			((DELETIONS.test(key) || SUCCESS.test(key)) && !isEmptyOrFalse(value)) ||
			((STATUS.test(key) || STATUS_CODE.test(key)) && isSuccessStatus(value)) ||
			(sent.has(Number(key)) && (value === true || isSuccessStatus(value))),
	);
}
