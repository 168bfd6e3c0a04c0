import type { ServiceResponse } from '../api/response';
import { instanceIdIn, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { isPrintable } from '../values/text';

const MULTI_STATUS = 207;
/** Neither `clock`, `unlocked` nor `permission`. */
const FAILURES =
	/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c|un_?)lock|(?<!dis_?)miss(?!i[ov])|invalid|not[ _-]?deleted/i;
const SUCCESS = /^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i;
/** Of these, 0 may be a figure, or an exit code. */
const DONE = /^(is[_-]?)?(accepted|applied|result|saved|updated)$/i;
const STATUS_CODE = /^(http|status)[_-]?(code|status)$/i;
/** An instance may have such keys itself. */
const STATUS = /^(status|state|result|code)$/i;
const FAILED = /^\s*(errors?|fail(ed|ure)?|partial\w*|rejected|denied|forbidden)\s*$/i;
/** Such as `deleted`, `removed_count` or `isDeleted`, but not `deleted_at`. */
const DELETIONS =
	/^((is|was|num|number[_-]?of|total|count|items|instances|rows|successfully)[_-]?)?(delet(ed|ions)|remov(ed|als))([_-]?(count|total|ids|instances|items|objects|records|rows))?$/i;

type Says = (key: string, value: unknown) => boolean;

/** Whether a body says something, by any of its values and their keys. The entries of a list have no key. */
function isSaidIn(body: unknown, says: Says): boolean {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const entries: Array<[string, unknown]> = [['', body]];
	for (const [key, value] of entries) {
		if (says(key, value)) return true;
		const list: unknown[] = Array.isArray(value) ? value : [];
		for (const each of list) entries.push(['', each]);
		for (const entry of Object.entries(asObject(value))) entries.push(entry);
	}
	return false;
}

/** Whether a value is empty, 0, false or null, or has only such values, without IDs as keys. */
function isEmptyOrFalse(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isEmptyOrFalse);
	if (typeof value !== 'object') return /^\s*(0|false|null)?\s*$/i.test(String(value));
	const entries = Object.entries(asObject(value));
	return entries.every(([key, each]) => plainId(key) === undefined && isEmptyOrFalse(each));
}

function isFalse(value: unknown): boolean {
	return isPrintable(value) && /^\s*(0|false)\s*$/i.test(String(value));
}

function isFailedStatus(value: unknown): boolean {
	return isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400);
}

/** Whether an entry is a flag or a figure that says that something failed. Words are never interpreted. */
function saysFailure(key: string, value: unknown): boolean {
	// So that `docLocked` is no clock.
	if (FAILURES.test(key.replace(/(?<=[a-z])(?=[A-Z])/g, '_'))) return !isEmptyOrFalse(value);
	if (SUCCESS.test(key)) return isFalse(value);
	if (DONE.test(key) && value === false) return true;
	return STATUS_CODE.test(key) && Number(value) >= 400;
}

/** Whether a number of deletions, or that of a list, is below what was sent. */
function saysFewer(value: unknown, sent: ReadonlySet<number>): boolean {
	const { count = value } = asObject(value);
	const number = Array.isArray(count) ? count.length : count;
	// The number of `true` is 1.
	if (!isPrintable(number) || number === true) return false;
	return isFalse(number) || Number(number) < sent.size;
}

/** Whether a list, or an object by its keys, has some of the IDs that were sent, but not all. */
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
 * Whether a 2xx response says that something failed (docs/dev/service-interface.md#undocumented). Beside an
 * instance, only the keys next to its own count.
 * @param reportedIds the instances that it reports on, as after a deletion: then all keys count, at any depth
 */
export function reportsFailure(
	{ status, json }: Pick<ServiceResponse, 'status' | 'json'>,
	reportedIds: readonly number[] = [],
): boolean {
	if (status === MULTI_STATUS || json === false) return true;
	const sent = new Set(reportedIds);
	if (sent.size === 0) return Object.entries(asObject(json)).some((entry) => saysFailure(...entry));
	return isSaidIn(
		json,
		(key, value) =>
			saysFailure(key, value) ||
			(STATUS.test(key) && isFailedStatus(value)) ||
			(DELETIONS.test(key) && saysFewer(value, sent)) ||
			(sent.has(Number(key)) && (value === false || isFailedStatus(value))) ||
			hasPart(value, sent),
	);
}

/** Whether a rejected deletion says that something was deleted, as `{"detail": "Locked.", "deleted": [1]}` does. */
export function reportsDeletion(json: unknown): boolean {
	const says: Says = (key, value) =>
		(DELETIONS.test(key) || SUCCESS.test(key)) && !isEmptyOrFalse(value);
	return isSaidIn(json, says);
}
