import type { ServiceResponse } from '../api/response';
import { instanceIdIn, plainId, SEPARATORS } from '../values/ids';
import { asObject, parseJson } from '../values/json';
import { isPrintable } from '../values/text';
import { entriesOf } from '../values/textList';
import { INSTANCE_KEYS } from './output';

const MULTI_STATUS = 207;
const FALSE = /^\s*(0|false)\s*$/i;
const SUCCESS = /^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i;
const FAILED = /^\s*(errors?|fail(ed|ure)?|partial\w*|rejected|denied|forbidden)\s*$/i;

const OF_DELETIONS =
	'(total|n|num(ber)?|cnt|count|of|successful(ly)?|ids?|instances?|items?|objects?|records?|rows?|is|was)';
/** A key that names deletions, such as `deleted`, `removed_count` or `rowsDeleted`. `delete` alone may be a permission. */
const DELETIONS = new RegExp(
	`^(?!(delete|remove)s?$)(${OF_DELETIONS}[ _-]?)*(delet(e[ds]?|ions?)|remov(e[ds]?|als?))([ _-]?${OF_DELETIONS})*$`,
	'i',
);

/** The value whose JSON a text is; any other value as it is. */
function unwrapped(value: unknown): unknown {
	const isJson = typeof value === 'string' && /^\s*(\{|\[\s*[\]{])/.test(value);
	return (isJson ? parseJson(value) : undefined) ?? value;
}

/** The entries of a list have no key. */
function entriesIn(value: unknown): Array<[string, unknown]> {
	if (Array.isArray(value)) return value.map((entry) => ['', entry]);
	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function idInEntry(entry: unknown): number | undefined {
	const { instance_id = entry, id = instance_id } = asObject(entry);
	return instanceIdIn(id);
}

/** A value in a body. */
interface Part {
	value: unknown;
	entries: Array<[string, unknown]>;
	/** The instances that it is about, of those that were sent. */
	ids: ReadonlySet<number>;
}

/**
 * All that a body contains, at any depth, also in JSON in a text.
 * @param ids what was sent; empty where that doesn't matter
 */
function* partsIn(body: unknown, ids: ReadonlySet<number> = new Set()): Generator<Part> {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const values: Array<{ each: unknown; id?: number }> = [{ each: body }];
	for (const { each, id } of values) {
		const value = unwrapped(each);
		const entries = entriesIn(value);
		const isOfOne = id !== undefined && ids.has(id);
		yield { value, entries, ids: isOfOne ? new Set([id]) : ids };
		for (const [key, entry] of entries) {
			// Only an entry of a list, or below an ID, is about one. Elsewhere, an ID may be that of a job.
			const own = Array.isArray(value) ? idInEntry(entry) : plainId(key);
			// What an instance has itself, such as steps, is not about others.
			if (!isOfOne || !INSTANCE_KEYS.includes(key)) values.push({ each: entry, id: own });
		}
	}
}

/** Whether a value says nothing: empty, 0, false or null, or a list or an object of only such values, without IDs as keys. */
function isEmptyOrFalse(value: unknown): boolean {
	for (const { value: each, entries } of partsIn(value)) {
		const isNested = typeof each === 'object' && each !== null;
		if (!isNested && !/^(0|false|null)?$/i.test(String(each).trim())) return false;
		if (entries.some(([key]) => plainId(key) !== undefined)) return false;
	}
	return true;
}

type Rule = readonly [key: RegExp, says: (value: unknown, ids: ReadonlySet<number>) => boolean];

function isFailedStatus(value: unknown): boolean {
	return isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400);
}

function isSuccessStatus(value: unknown): boolean {
	return Math.floor(Number(value) / 100) === 2;
}

/** The count that a value is or has, that of a list, or of an object with counts, as `{"app.Instance": 2}`. */
function countIn(value: unknown): unknown {
	const { count = value } = asObject(value);
	if (Array.isArray(count)) return count.length;
	const counts = Object.values(asObject(count));
	return counts.length > 0 && counts.every((each) => typeof each === 'number')
		? counts.reduce((sum, each) => sum + each)
		: count;
}

/** The keys of an object's entries, if all are IDs of what was sent, and what they have is no count. */
function idKeys(entries: Array<[string, unknown]>, ids: ReadonlySet<number>): string[] {
	const isOfIds = entries.every(
		([key, entry]) => ids.has(Number(key)) && typeof entry !== 'number',
	);
	return isOfIds ? entries.map(([key]) => key) : [];
}

/** Whether a list has some of the IDs, but not all. */
function isPart(list: readonly unknown[], ids: ReadonlySet<number>): boolean {
	const present = new Set(list.map(idInEntry).filter((id) => id !== undefined && ids.has(id)));
	return present.size > 0 && present.size < ids.size;
}

/** By key, the flags and figures that say that something failed. Words are never interpreted. */
const RULES: readonly Rule[] = [
	[
		// Neither `clock`, `unlocked` nor `permission`.
		/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c|un_?)lock|(?<!dis_?)miss(?!i[ov])|invalid|not[ _-]?deleted/i,
		(value) => !isEmptyOrFalse(value),
	],
	[SUCCESS, (value) => FALSE.test(String(value))],
	// Of these, 0 may be a figure, or an exit code.
	[/^(is[_-]?)?(accepted|applied|result|saved|updated)$/i, (value) => value === false],
	[/^(http|status)[_-]?(code|status)$/i, (value) => Number(value) >= 400],
];
/** An instance may have such keys itself. */
const RULES_OF_REPORTS: readonly Rule[] = [
	...RULES,
	[/^(status|state|result|code)$/i, isFailedStatus],
	[
		DELETIONS,
		(value, ids) => {
			const count = countIn(unwrapped(value));
			// The number of `true` is 1.
			if (count === true || !isPrintable(count)) return false;
			if (Number.isNaN(Number(count)) && isPart(entriesOf(count, SEPARATORS), ids)) return true;
			return FALSE.test(String(count)) || Number(count) < ids.size;
		},
	],
];
/** The flags and figures that say that something was deleted. */
const RULES_OF_DELETIONS: readonly Rule[] = [
	[DELETIONS, (value) => !isEmptyOrFalse(value)],
	[SUCCESS, (value) => !isEmptyOrFalse(value)],
	[/^((http|status)[_-]?)?(code|status)$/i, isSuccessStatus],
];

/** Whether an entry says something by one of the rules. */
function saysBy(rules: readonly Rule[], [key, value]: [string, unknown], ids: Part['ids']) {
	// So that `docLocked` is no clock.
	const words = key.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
	return rules.some(([keys, says]) => keys.test(words) && says(value, ids));
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
	if (sent.size === 0) return entriesIn(json).some((entry) => saysBy(RULES, entry, sent));
	for (const { value, entries, ids } of partsIn(json, sent)) {
		const listed: unknown[] = Array.isArray(value) ? value : idKeys(entries, sent);
		const isFailure = ([key, each]: [string, unknown]) =>
			sent.has(Number(key)) && (each === false || isFailedStatus(each));
		const fails = (entry: [string, unknown]) =>
			isFailure(entry) || saysBy(RULES_OF_REPORTS, entry, ids);
		if (isPart(listed, sent) || entries.some(fails)) return true;
	}
	return false;
}

/** Whether a rejected deletion says that something was deleted, as `{"detail": "Locked.", "deleted": [1]}` does. */
export function reportsDeletion(json: unknown, sentIds: readonly number[]): boolean {
	const sent = new Set(sentIds);
	for (const { entries, ids } of partsIn(json, sent)) {
		const isDeleted = ([key, value]: [string, unknown]) =>
			sent.has(Number(key)) && (value === true || isSuccessStatus(value));
		if (entries.some((entry) => isDeleted(entry) || saysBy(RULES_OF_DELETIONS, entry, ids)))
			return true;
	}
	return false;
}
