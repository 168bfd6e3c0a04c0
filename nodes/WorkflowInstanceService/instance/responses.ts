import type { IDataObject } from 'n8n-workflow';

import { type ApiRequest } from '../api/apiRequest';
import {
	isCutOff,
	isWebPage,
	LONGEST_SCAN,
	type ServiceResponse,
	serviceTime,
	serviceWords,
} from '../api/response';
import type { Service } from '../api/service';
import { idFromUrl, INSTANCE, instanceIdIn, plainId } from '../values/ids';
import { asObject, isObject, pick } from '../values/json';
import { describeValue, isPrintable, shortened, subjectOf } from '../values/text';
import { UserFacingError } from '../values/userFacingError';
import { INSTANCE_KEYS } from './output';

const MULTI_STATUS = 207;
const FALSE = /^\s*(0|false)\s*$/i;
const FAILED = /^\s*(errors?|fail(ed|ure)?|partial\w*|rejected|denied|forbidden)\s*$/i;

/** A key that names deletions, such as `deleted` or `removed_count`. */
export const DELETIONS =
	/^((total|num(ber)?|count|of|ids?|instances?|items?|is|was)[_-]?)*(delet(ed|ions?)|removed)([_-]?(count|total|ids?|instances?|items?))*$/i;

function isEmptyOrFalse(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return /^(0|false|null)?$/i.test(String(value).trim());
}

type Rule = readonly [key: RegExp, isFailure: (value: unknown, idCount: number) => boolean];

function isFailedStatus(value: unknown): boolean {
	return isPrintable(value) && (FAILED.test(String(value)) || Number(value) >= 400);
}

/** By key, the flags and figures that say that something failed. Words are never interpreted. */
const RULES: readonly Rule[] = [
	[
		// Neither `clock`, `unlocked` nor `permission`.
		/error|fail|reject|refus|skip|den(y|ie|ial)|forbid|(?<!c|un)lock|(?<!dis)miss(?!i[ov])|invalid|not[_-]?deleted/i,
		(value) => !isEmptyOrFalse(value),
	],
	[/^(is[_-]?)?(succe(ss(ful)?|eded)|ok)$/i, (value) => FALSE.test(String(value))],
	// Of these, 0 may be a figure, or an exit code.
	[/^(is[_-]?)?(accepted|applied|result|saved|updated)$/i, (value) => value === false],
	[/^(http|status)[_-]?(code|status)$/i, (value) => Number(value) >= 400],
];
/** An instance may have such keys itself. */
const RULES_OF_DELETION: readonly Rule[] = [
	...RULES,
	[/^(status|state|result|code)$/i, isFailedStatus],
	[
		DELETIONS,
		(value, idCount) => {
			const { count: number = value } = asObject(value);
			const count = Array.isArray(number) ? number.length : number;
			// The number of `true` is 1.
			if (count === true || !isPrintable(count)) return false;
			return FALSE.test(String(count)) || Number(count) < idCount;
		},
	],
];

function idInEntry(entry: unknown): number | undefined {
	const { id = entry } = asObject(entry);
	return instanceIdIn(id);
}

/** The entries of a list have no key. */
function entriesIn(value: unknown): Array<[string, unknown]> {
	if (Array.isArray(value)) return value.map((entry) => ['', entry]);
	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Whether a list has some of the IDs, but not all. */
function isPart(list: unknown, ids: ReadonlySet<number>): boolean {
	if (!Array.isArray(list)) return false;
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
	const rules = ids.size > 0 ? RULES_OF_DELETION : RULES;
	const isFailure = ([key, value]: [string, unknown]) =>
		(ids.has(Number(key)) && (value === false || isFailedStatus(value))) ||
		rules.some(([keys, says]) => keys.test(key) && says(value, ids.size));
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const values = [json];
	for (const value of values) {
		const entries = entriesIn(value);
		if (isPart(value, ids) || entries.some(isFailure)) return true;
		if (ids.size > 0) for (const [, entry] of entries) values.push(entry);
	}
	return status === MULTI_STATUS || json === false;
}

const LONGEST_EXCERPT = 120;
const CHECK_SOURCE =
	"Check that the 'Base URL' in the credential is the URL of your service. If it is, a proxy or cache may have changed the response or cut it off.";

function whatCame(response: ServiceResponse): string {
	if (response.text.trim() === '') return 'it is empty';
	if (isWebPage(response)) return serviceWords(response);
	const start = response.text.slice(0, LONGEST_SCAN);
	const excerpt = `"${shortened(response.redact(start), LONGEST_EXCERPT)}"`;
	return response.isGarbled ? `it is not in UTF-8: ${excerpt}` : excerpt;
}

/** The error about a 2xx response that is not from this interface, not whole, or about something else. */
export function unusableResponse(
	response: ServiceResponse,
	ids: readonly number[],
	what = `is not valid: ${whatCame(response)}`,
	advice = CHECK_SOURCE,
): UserFacingError {
	const facts = { kind: 'unknown', httpCode: String(response.status) } as const;
	return new UserFacingError(`The response for ${subjectOf(ids)} ${what}`, advice, facts);
}

/** Whether an object may be an instance. A message may have an ID or a process, but not both. */
function mayBeInstance(json: IDataObject, isNamed: boolean): boolean {
	const hasProcess = Object.hasOwn(json, 'process');
	const hasMessage = ['detail', 'message'].some((key) => Object.hasOwn(json, key));
	if (hasMessage || reportsFailure({ status: 200, json })) return isNamed && hasProcess;
	return isNamed || hasProcess;
}

/** @returns the instance in a 2xx response, or throws when that contains none, or another one */
export function instanceIn(response: ServiceResponse, id: number): IDataObject {
	const { json, isGarbled } = response;
	if (isGarbled || !isObject(json)) throw unusableResponse(response, [id]);
	const returnedId = json.id ?? idFromUrl(json.url, INSTANCE);
	const isNamed = returnedId !== undefined;
	if (!mayBeInstance(json, isNamed)) throw unusableResponse(response, [id]);
	if (!isNamed || plainId(returnedId) === id) return json;
	const what = `contains another instance, with ID ${describeValue(returnedId)}`;
	throw unusableResponse(response, [id], what);
}

/**
 * @param before the instance as it was read before the update: its own keys say nothing about that
 * @returns the instance in a 2xx response to an update, if any, or throws when that says that something failed
 */
export function updatedInstanceIn(
	response: ServiceResponse,
	id: number,
	before: IDataObject,
): IDataObject | undefined {
	const { status } = response;
	const json = asObject(response.json);
	const unknownKeys = Object.keys(json).filter((key) => !INSTANCE_KEYS.includes(key));
	// Besides an ID, an instance has other fields; without them, what there is says what came of it.
	const isReport = Object.keys(json).length - unknownKeys.length < 2;
	const wasThere = (key: string) => reportsFailure({ status: 200, json: pick(before, [key]) });
	const report = pick(
		json,
		unknownKeys.filter((key) => !wasThere(key)),
	);
	if (reportsFailure({ status, json: report }, isReport ? [id] : [])) {
		const words = serviceWords({ ...response, json: report });
		const what = `does not confirm the update (${status})${words && `: ${words}`}`;
		throw unusableResponse(response, [id], what, 'Check the instance in the service.');
	}
	// What success looks like is not known (docs/dev/service-interface.md#undocumented).
	const isEmptyBody = response.text.trim() === '' && !isCutOff(response);
	return isEmptyBody ? undefined : instanceIn(response, id);
}

/** The request that reads an instance (docs/dev/service-interface.md#get). */
export function readRequest(id: number, query?: IDataObject): ApiRequest {
	return { method: 'GET', path: `/instances/${id}/`, query, ids: [id] };
}

/** Reads an instance, and the time of the service, if it says so. */
export async function readInstance({ send }: Service, id: number, query?: IDataObject) {
	const response = await send(readRequest(id, query));
	return { instance: instanceIn(response, id), serviceTime: serviceTime(response) };
}
