import { isObject, parseJson } from './json';
import { describeValue, isEmpty, notExpected, UserFacingError } from './userFacingError';

/** What has a resource URI `…/<segment>/<id>/` (docs/dev/service-interface.md#base-url), by the segment. */
const KINDS = {
	instances: {
		noun: 'an instance',
		id: 'a valid instance ID',
		other: 'processes',
		foundIn:
			"as in the instance's 'url' field. The public URL ('public_url') doesn't contain the ID.",
	},
	processes: {
		noun: 'a process',
		id: 'a valid process ID',
		other: 'instances',
		foundIn: "as in the 'process' field of an instance.",
	},
} as const;

type Segment = keyof typeof KINDS;

/** A parameter for an ID. */
export interface IdKind {
	label: string;
	segment: Segment;
}

/** A positive safe integer, as a number or as its plain digits; nothing else is an ID. */
export function plainId(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const id = Number(value);
	return /^[1-9]\d*$/.test(String(value).trim()) && Number.isSafeInteger(id) ? id : undefined;
}

/** The ID in a resource URI that ends in `/<segment>/<id>/`; undefined in anything else. */
export function idFromUri(value: unknown, segment: Segment): number | undefined {
	if (typeof value !== 'string') return undefined;
	const uri = new RegExp(`^https?://[^\\s?#]+/${segment}/(\\d+)/?$`).exec(value.trim());
	return plainId(uri?.[1]);
}

/** Of a resource URI only the ID counts, since no request ever goes to its host. */
function parseId(value: unknown, segment: Segment, place: string, advice: string): number {
	const id = plainId(value) ?? idFromUri(value, segment);
	if (id !== undefined) return id;
	const { noun, id: expected, other, foundIn } = KINDS[segment];
	if (typeof value !== 'string' || !/^\s*https?:\/\//i.test(value)) {
		throw notExpected(value, place, expected, advice);
	}
	const isOther = idFromUri(value, other) !== undefined;
	const what = isOther ? `the URL of ${KINDS[other].noun}, not of` : 'not the URL of';
	throw new UserFacingError(
		`${describeValue(value)} in ${place} is ${what} ${noun}`,
		`Enter the ID, e.g. 123, or the URL that ends in /${segment}/123/, ${foundIn}`,
	);
}

/** What was chosen in a resource locator, empty text for nothing; any other value as it is. */
export function chosenIn(value: unknown): unknown {
	return isObject(value) && Object.hasOwn(value, 'value') ? (value.value ?? '') : value;
}

/** The ID chosen in a resource locator, in any mode as an ID or as a resource URI. */
export function parseLocator(value: unknown, { label, segment }: IdKind): number {
	const advice = `Enter a whole number above zero, e.g. 123, or a URL that ends in /${segment}/123/. If it's an expression, check what it returns for this item.`;
	return parseId(chosenIn(value), segment, `'${label}'`, advice);
}

const ID_ADVICE =
	'Correct or remove it. An ID is a whole number above zero, e.g. 123, or a URL that ends in /instances/123/.';
const UNQUOTE = 'Enter IDs without quotation marks, separated by commas, e.g. 12, 15.';
const USE_COMMAS = 'Separate IDs with commas, e.g. 12, 15.';
const CHOOSE_ID = 'Use the ID inside the object, e.g. instance.id instead of instance.';
const LIST = 'Enter IDs separated by commas, e.g. 12, 15, or a complete list, e.g. [12, 15].';
const NO_VALUE = 'The expression returned nothing. Correct it, or have it return an empty list.';

/** One number with separators, or several IDs: nobody can tell. */
const AMBIGUOUS = /^\d{1,3}(,\d{2,3})*,\d{3}$/;

/** Rejects text out of an expression, as of a cell of a table, that may be one number or several IDs. */
function assertUnambiguous(value: unknown, place: string): void {
	if (typeof value !== 'string') return;
	const isAmbiguous = value.split('\n').some((line) => AMBIGUOUS.test(line.trim()));
	if (!isAmbiguous) return;
	throw new UserFacingError(
		`${describeValue(value)} in ${place} may be one number or several IDs`,
		'Have the expression return a number, a list like [12, 345], or IDs separated by a comma and a blank, e.g. 12, 345.',
	);
}

function listEntries(value: unknown, place: string): unknown[] {
	if (value === undefined) throw new UserFacingError(`${place} has no value`, NO_VALUE);
	if (value === null) return [];
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((entry) => !isEmpty(entry));
	const list = parseJson(value);
	if (Array.isArray(list)) return list;
	throw notExpected(value, place, 'a complete list', LIST);
}

function adviceOnEntry(entry: unknown): string {
	if (isObject(entry)) return CHOOSE_ID;
	if (/^\s*["']/.test(String(entry))) return UNQUOTE;
	return /^\s*\d+(?:\s*;\s*|\s+)\d/.test(String(entry)) ? USE_COMMAS : ID_ADVICE;
}

/**
 * All instance IDs, or resource URIs, in a number, a comma- or newline-separated list, an array, or its JSON
 * text; none for null. One invalid entry rejects the value. The place is for messages: `'Instance IDs'`.
 *
 * @param isTyped whether the user typed the value in, so that commas separate IDs for sure
 */
export function parseIdList(value: unknown, place: string, isTyped: boolean): number[] {
	if (!isTyped) assertUnambiguous(value, place);
	return listEntries(value, place).map((entry) => {
		if (!isEmpty(entry)) return parseId(entry, 'instances', place, adviceOnEntry(entry));
		throw new UserFacingError(`The list in ${place} contains an empty entry`, ID_ADVICE);
	});
}
