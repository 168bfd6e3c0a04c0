import { isObject, parseJson } from './json';
import {
	describeValue,
	isEmpty,
	notExpected,
	notExpectedEntry,
	UserFacingError,
} from './userFacingError';

/** A kind of thing that has an id and a resource URI `…/<segment>/<id>/`. */
export interface IdKind {
	/** The label of the parameter in the editor. */
	label: string;
	/** The path segment of the resource URI (docs/service-interface.md#base-url). */
	segment: 'instances' | 'processes';
}

/** A positive safe integer, as a number or as its plain digits; nothing else is an id. */
function plainId(value: unknown): number | undefined {
	if (typeof value === 'string' && !/^[1-9]\d*$/.test(value.trim())) return undefined;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const id = Number(value);
	return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** The id in a resource URI that ends in `/<segment>/<id>/`; undefined in anything else. */
export function idFromUri(value: unknown, segment: IdKind['segment']): number | undefined {
	if (typeof value !== 'string') return undefined;
	const uri = new RegExp(`^https?://[^\\s?#]+/${segment}/(\\d+)/?$`).exec(value.trim());
	return plainId(uri?.[1]);
}

const NOUNS = { instances: 'an instance', processes: 'a process' } as const;
const ID_OF = { instances: 'a valid instance ID', processes: 'a valid process ID' } as const;
const OTHER = { instances: 'processes', processes: 'instances' } as const;
/** Where users find a link. */
const FOUND = {
	instances:
		"as in the instance's 'url' field. The public URL ('public_url') doesn't contain the ID.",
	processes: "as in the 'process' field of an instance.",
} as const;

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^\s*https?:\/\//i.test(value);
}

function wrongLink(link: string, place: string, segment: IdKind['segment']): UserFacingError {
	const other = OTHER[segment];
	const isOther = idFromUri(link, other) !== undefined;
	const what = isOther ? `the URL of ${NOUNS[other]}, not of` : 'not the URL of';
	return new UserFacingError(
		`${describeValue(link)} in ${place} is ${what} ${NOUNS[segment]}`,
		`Enter the ID, e.g. 123, or the URL that ends in /${segment}/123/, ${FOUND[segment]}`,
	);
}

/**
 * What was chosen in a resource locator, empty text for nothing; any other value as it is: an expression
 * or an agent may give it for the whole parameter.
 */
export function chosenIn(value: unknown): unknown {
	return isObject(value) && Object.hasOwn(value, 'value') ? (value.value ?? '') : value;
}

/**
 * The id chosen in a resource locator. In any mode it may be the id, or a resource URI; of a URI
 * only the id counts, since no request ever goes to its host.
 *
 * @param value `{ mode: 'list' | 'id' | 'url', value }`, or a bare value
 * @throws UserFacingError naming the label for anything else (`1.5`, `1e3` as text, `''`, another link)
 */
export function parseLocator(value: unknown, kind: IdKind): number {
	const chosen = chosenIn(value);
	const id = plainId(chosen) ?? idFromUri(chosen, kind.segment);
	if (id !== undefined) return id;
	const { label, segment } = kind;
	const place = `'${label}'`;
	if (isLink(chosen)) throw wrongLink(chosen, place, segment);
	throw notExpected(
		chosen,
		place,
		ID_OF[segment],
		`Enter a whole number above zero, e.g. 123, or a URL that ends in /${segment}/123/. If it's an expression, check what it returns for this item.`,
	);
}

const ID_ADVICE =
	'Correct or remove it. An ID is a whole number above zero, e.g. 123, or a URL that ends in /instances/123/.';
const UNQUOTE = 'Enter IDs without quotation marks, separated by commas, e.g. 12, 15.';
const CHOOSE_ID = 'Use the ID inside the object, e.g. instance.id instead of instance.';
const LIST_ADVICE =
	'Enter IDs separated by commas, e.g. 12, 15, or a complete list, e.g. [12, 15].';

function listEntries(value: unknown, place: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((entry) => !isEmpty(entry));
	const list = parseJson(value);
	if (Array.isArray(list)) return list;
	throw notExpected(value, place, 'a complete list', LIST_ADVICE);
}

function adviceOnEntry(entry: unknown): string {
	if (isObject(entry)) return CHOOSE_ID;
	return /^\s*["']/.test(String(entry)) ? UNQUOTE : ID_ADVICE;
}

/**
 * All ids of instances that a value holds: a number, a comma- or newline-separated list, an array, the
 * JSON text of an array, or resource URIs in any of these. One entry that is not an id rejects the
 * value.
 *
 * @param place where the value was found, e.g. `'Instance IDs'`
 * @throws UserFacingError naming the place and the entry
 */
export function parseIdList(value: unknown, place: string): number[] {
	const isList = Array.isArray(value) || typeof value === 'string';
	return listEntries(value, place).map((entry) => {
		const id = plainId(entry) ?? idFromUri(entry, 'instances');
		if (id !== undefined) return id;
		if (isLink(entry)) throw wrongLink(entry, place, 'instances');
		const errorAbout = isList ? notExpectedEntry : notExpected;
		throw errorAbout(entry, place, ID_OF.instances, adviceOnEntry(entry));
	});
}
