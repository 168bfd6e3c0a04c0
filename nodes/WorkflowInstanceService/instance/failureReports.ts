import type { ServiceResponse } from '../api/response';
import { instanceIdIn } from '../values/ids';
import { asObject } from '../values/json';
import { isPrintable } from '../values/text';

const MULTI_STATUS = 207;
const FALSE = /^\s*(0|false)\s*$/i;
const FAILED = /^\s*(errors?|fail(ed|ure)?|partial\w*|rejected|denied|forbidden)\s*$/i;

const OF_DELETIONS =
	'(total|n|num(ber)?|cnt|count|of|successful(ly)?|ids?|instances?|items?|objects?|records?|rows?|is|was)';
/** A key that names deletions, such as `deleted`, `removed_count` or `rowsDeleted`. `delete` alone may be a permission. */
export const DELETIONS = new RegExp(
	`^(?!(delete|remove)s?$)(${OF_DELETIONS}[ _-]?)*(delet(e[ds]?|ions?)|remov(e[ds]?|als?))([ _-]?${OF_DELETIONS})*$`,
	'i',
);

function isEmptyOrFalse(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return /^(0|false|null)?$/i.test(String(value).trim());
}

type Rule = readonly [key: RegExp, isFailure: (value: unknown, sentCount: number) => boolean];

function isFailedStatus(value: unknown): boolean {
	return isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400);
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

/** By key, the flags and figures that say that something failed. Words are never interpreted. */
const RULES: readonly Rule[] = [
	[
		// Neither `clock`, `unlocked` nor `permission`.
		/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c|un_?)lock|(?<!dis_?)miss(?!i[ov])|invalid|not[ _-]?deleted/i,
		(value) => !isEmptyOrFalse(value),
	],
	[/^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i, (value) => FALSE.test(String(value))],
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
		(value, sentCount) => {
			const count = countIn(value);
			// The number of `true` is 1.
			if (count === true || !isPrintable(count)) return false;
			return FALSE.test(String(count)) || Number(count) < sentCount;
		},
	],
];

function idInEntry(entry: unknown): number | undefined {
	const { instance_id = entry, id = instance_id } = asObject(entry);
	return instanceIdIn(id);
}

/** The entries of a list have no key. */
function entriesIn(value: unknown): Array<[string, unknown]> {
	if (Array.isArray(value)) return value.map((entry) => ['', entry]);
	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
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

/**
 * Whether a 2xx response says that something failed (docs/dev/service-interface.md#undocumented). Beside an
 * instance, only the keys next to its own count.
 * @param reportedIds the instances that it reports on, as after a deletion: then all keys count, at any depth
 */
export function reportsFailure(
	{ status, json }: Pick<ServiceResponse, 'status' | 'json'>,
	reportedIds: readonly number[] = [],
): boolean {
	const ids = new Set(reportedIds);
	const rules = ids.size > 0 ? RULES_OF_REPORTS : RULES;
	const isFailure = ([key, value]: [string, unknown]) => {
		// So that `docLocked` is no clock.
		const words = key.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
		return (
			(ids.has(Number(key)) && (value === false || isFailedStatus(value))) ||
			rules.some(([keys, says]) => keys.test(words) && says(value, ids.size))
		);
	};
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const values = [json];
	for (const value of values) {
		const entries = entriesIn(value);
		const listed: unknown[] = Array.isArray(value) ? value : idKeys(entries, ids);
		if (isPart(listed, ids) || entries.some(isFailure)) return true;
		if (ids.size > 0) for (const [, entry] of entries) values.push(entry);
	}
	return status === MULTI_STATUS || json === false;
}
