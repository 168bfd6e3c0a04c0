import { isObject, parseJson } from './json';
import { describeValue, isEmpty, notExpected, UserFacingError } from './userFacingError';

/** A kind of thing that has an ID and a resource URI `…/<segment>/<id>/`. */
export interface IdKind {
	/** The label of the parameter in the editor. */
	label: string;
	/** The path segment of the resource URI (docs/dev/service-interface.md#base-url). */
	segment: 'instances' | 'processes';
}

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

/** A positive safe integer, as a number or as its plain digits; nothing else is an ID. */
function plainId(value: unknown): number | undefined {
	if (typeof value === 'string' && !/^[1-9]\d*$/.test(value.trim())) return undefined;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const id = Number(value);
	return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** The ID in a resource URI that ends in `/<segment>/<id>/`; undefined in anything else. */
export function idFromUri(value: unknown, segment: IdKind['segment']): number | undefined {
	if (typeof value !== 'string') return undefined;
	const uri = new RegExp(`^https?://[^\\s?#]+/${segment}/(\\d+)/?$`).exec(value.trim());
	return plainId(uri?.[1]);
}

function isUrl(value: unknown): value is string {
	return typeof value === 'string' && /^\s*https?:\/\//i.test(value);
}

function wrongUrl(url: string, place: string, segment: IdKind['segment']): UserFacingError {
	const { noun, other, foundIn } = KINDS[segment];
	const isOther = idFromUri(url, other) !== undefined;
	const what = isOther ? `the URL of ${KINDS[other].noun}, not of` : 'not the URL of';
	return new UserFacingError(
		`${describeValue(url)} in ${place} is ${what} ${noun}`,
		`Enter the ID, e.g. 123, or the URL that ends in /${segment}/123/, ${foundIn}`,
	);
}

/**
 * What was chosen in a resource locator, empty text for nothing; any other value as it is: an expression
 * or an agent may return it for the whole parameter.
 */
export function chosenIn(value: unknown): unknown {
	return isObject(value) && Object.hasOwn(value, 'value') ? (value.value ?? '') : value;
}

/**
 * The ID chosen in a resource locator, in any mode as an ID or as a resource URI. Of a URI only the
 * ID counts, since no request ever goes to its host.
 *
 * @param value `{ mode: 'list' | 'id' | 'url', value }`, or a bare value
 * @throws UserFacingError naming the label for anything else (`1.5`, `1e3` as text, `''`, another URL)
 */
export function parseLocator(value: unknown, { label, segment }: IdKind): number {
	const chosen = chosenIn(value);
	const id = plainId(chosen) ?? idFromUri(chosen, segment);
	if (id !== undefined) return id;
	const place = `'${label}'`;
	if (isUrl(chosen)) throw wrongUrl(chosen, place, segment);
	const advice = `Enter a whole number above zero, e.g. 123, or a URL that ends in /${segment}/123/. If it's an expression, check what it returns for this item.`;
	throw notExpected(chosen, place, KINDS[segment].id, advice);
}

const ID_ADVICE =
	'Correct or remove it. An ID is a whole number above zero, e.g. 123, or a URL that ends in /instances/123/.';
const UNQUOTE = 'Enter IDs without quotation marks, separated by commas, e.g. 12, 15.';
const CHOOSE_ID = 'Use the ID inside the object, e.g. instance.id instead of instance.';
const LIST_ADVICE =
	'Enter IDs separated by commas, e.g. 12, 15, or a complete list, e.g. [12, 15].';
const NO_VALUE = 'The expression returned nothing. Correct it, or have it return an empty list.';

function listEntries(value: unknown, place: string): unknown[] {
	if (value === undefined) throw new UserFacingError(`${place} has no value`, NO_VALUE);
	if (value === null) return [];
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
 * All instance IDs in a value: a number, a comma- or newline-separated list, an array, the JSON text of
 * an array, or resource URIs in any of these; none for null. One invalid entry rejects the value.
 *
 * @param place where the value was found, e.g. `'Instance IDs'`
 * @throws UserFacingError naming the place and the entry, or when there is no value
 */
export function parseIdList(value: unknown, place: string): number[] {
	const isList = Array.isArray(value) || typeof value === 'string';
	return listEntries(value, place).map((entry) => {
		const id = plainId(entry) ?? idFromUri(entry, 'instances');
		if (id !== undefined) return id;
		if (isUrl(entry)) throw wrongUrl(entry, place, 'instances');
		const advice = adviceOnEntry(entry);
		if (!isList || !isEmpty(entry)) throw notExpected(entry, place, KINDS.instances.id, advice);
		throw new UserFacingError(`The list in ${place} contains an empty entry`, advice);
	});
}
