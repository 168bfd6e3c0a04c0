import type { ServiceResponse } from '../api/response';
import { idFromUri, INSTANCE, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { isPrintable } from '../values/userFacingError';

const MULTI_STATUS = 207;
const FALSE = /^\s*(0|false)\s*$/i;
const FAILED = /^\s*(errors?|fail(ed|ure)?|partial\w*|rejected|denied|forbidden)\s*$/i;

function isNothing(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return /^(0|false|null)?$/i.test(String(value).trim());
}

type Rule = readonly [key: RegExp, isFailure: (value: unknown, sent: number) => boolean];

/** By key, the flags and figures that say that something failed. Words are never interpreted. */
const RULES: readonly Rule[] = [
	[
		// Neither `clock` nor `permission`.
		/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c)lock|(?<!dis)miss(?!i[ov])|invalid|not[_-]?deleted/i,
		(value) => !isNothing(value),
	],
	[/^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i, (value) => FALSE.test(String(value))],
	[/^(http|status)[_-]?(code|status)$/i, (value) => Number(value) >= 400],
];
/** An instance may have such keys itself. */
const RULES_OF_DELETION: readonly Rule[] = [
	...RULES,
	[
		/^(status|state|result|code)$/i,
		(value) => isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400),
	],
	[
		/^((total|num(ber)?|count|of|ids?|instances?|items?|is|was)[_-]?)*(delet(ed|ions?)|removed)([_-]?(count|total|ids?|instances?|items?))*$/i,
		(value, sent) => {
			const { count: number = value } = asObject(value);
			const count = Array.isArray(number) ? number.length : number;
			// The number of `true` is 1.
			if (count === true || !isPrintable(count)) return false;
			return FALSE.test(String(count)) || Number(count) < sent;
		},
	],
];

/** The ID that an entry of a list is, or contains. */
function idOf(entry: unknown): number | undefined {
	const { id = entry } = asObject(entry);
	return plainId(id) ?? idFromUri(id, INSTANCE);
}

function entriesIn(value: unknown): Array<[string, unknown]> {
	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Whether a list has some of the IDs, but not all. */
function isPart(list: unknown, ids: ReadonlySet<number>): boolean {
	if (!Array.isArray(list)) return false;
	const listed = new Set(list.map(idOf).filter((id) => id !== undefined && ids.has(id)));
	return listed.size > 0 && listed.size < ids.size;
}

/**
 * Whether a 2xx response says that something failed (docs/dev/service-interface.md#undocumented). Beside an
 * instance, only the keys next to its own count. After a deletion, of which the IDs are given, all do, at any depth.
 */
export function reportsFailure(
	{ status, json }: Pick<ServiceResponse, 'status' | 'json'>,
	deletedIds: readonly number[] = [],
): boolean {
	const ids = new Set(deletedIds);
	const rules = ids.size > 0 ? RULES_OF_DELETION : RULES;
	const isFailure = ([key, value]: [string, unknown]) =>
		(value === false && ids.has(Number(key))) ||
		rules.some(([keys, says]) => keys.test(key) && says(value, ids.size));
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found = [json];
	for (const value of found) {
		const entries = entriesIn(value);
		if (isPart(value, ids) || entries.some(isFailure)) return true;
		if (ids.size > 0) for (const [, entry] of entries) found.push(entry);
	}
	return status === MULTI_STATUS || json === false;
}
