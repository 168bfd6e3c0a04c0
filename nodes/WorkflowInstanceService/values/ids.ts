import { parseJson } from './json';
import { isObject } from './objects';
import { describeValue, UserFacingError } from './userFacingError';

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
const OTHER = { instances: 'processes', processes: 'instances' } as const;
/** Where users find a link. */
const FOUND = {
	instances:
		"the field 'url' of the instance. The public link ('public_url') does not contain the ID.",
	processes: "the field 'process' of an instance.",
} as const;

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^\s*https?:\/\//i.test(value);
}

function wrongLink(link: string, { label, segment }: IdKind): UserFacingError {
	const other = OTHER[segment];
	const found = idFromUri(link, other) === undefined ? '' : ` but of ${NOUNS[other]}`;
	return new UserFacingError(
		`${describeValue(link)} in '${label}' is not the link of ${NOUNS[segment]}${found}`,
		`Enter the ID, e.g. 123, or the link that ends in /${segment}/123/: ${FOUND[segment]}`,
	);
}

function notAnId(value: unknown, { label, segment }: IdKind): UserFacingError {
	const isEmpty = value === '' || value === undefined || value === null;
	return new UserFacingError(
		isEmpty
			? `'${label}' is empty`
			: `${describeValue(value)} in '${label}' is not the ID of ${NOUNS[segment]}`,
		`Enter a whole number above zero, e.g. 123, or a link that ends in /${segment}/123/. If it is an expression, check what it returns for this item.`,
	);
}

/**
 * The id chosen in a resource locator. In either mode it may be the id, or a resource URI; of a URI
 * only the id counts, since no request ever goes to its host.
 *
 * @param value `{ mode: 'id' | 'url', value }`, or a bare value, as an expression or an agent may give
 *   for the whole parameter
 * @throws UserFacingError naming the label for anything else (`1.5`, `1e3` as text, `''`, another link)
 */
export function parseLocator(value: unknown, kind: IdKind): number {
	const chosen = isObject(value) ? value.value : value;
	const id = plainId(chosen) ?? idFromUri(chosen, kind.segment);
	if (id !== undefined) return id;
	throw isLink(chosen) ? wrongLink(chosen, kind) : notAnId(chosen, kind);
}

function listEntries(value: unknown, label: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((entry) => entry.trim());
	const list = parseJson(value);
	if (Array.isArray(list)) return list;
	throw new UserFacingError(
		`${describeValue(value)} in '${label}' starts like a list but is not a complete one`,
		'Enter IDs separated by commas, e.g. 12, 15, or a complete list, e.g. [12, 15].',
	);
}

/**
 * All ids that a value holds: a number, a comma- or newline-separated list, an array, the JSON text
 * of an array, or resource URIs in any of these. One entry that is not an id refuses the value.
 *
 * @throws UserFacingError naming the label and the entry
 */
export function parseIdList(value: unknown, { label, segment }: IdKind): number[] {
	return listEntries(value, label).map((entry) => {
		const id = plainId(entry) ?? idFromUri(entry, segment);
		if (id !== undefined) return id;
		throw new UserFacingError(
			`${describeValue(entry)} in '${label}' is not the ID of ${NOUNS[segment]}`,
			`Correct or remove it: an ID is a whole number above zero, e.g. 123, or a link that ends in /${segment}/123/.`,
		);
	});
}
