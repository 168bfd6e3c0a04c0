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

/**
 * The id that a value is.
 *
 * @throws UserFacingError naming the label for anything else (`1.5`, `1e3` as text, `''`, null, a list …)
 */
function parseId(value: unknown, { label, segment }: IdKind): number {
	const id = plainId(value);
	if (id !== undefined) return id;
	throw new UserFacingError(
		`'${label}' is not an ID: ${describeValue(value)}`,
		`Enter a whole number above zero, e.g. 123. For a link that ends in /${segment}/123/, set '${label}' to By URL.`,
	);
}

/**
 * The id in a resource URI. Only the id counts: no request ever goes to the URI's host.
 *
 * @throws UserFacingError naming the label when the value is not a URI that ends in `/<segment>/<id>/`
 */
function parseUri(value: unknown, { label, segment }: IdKind): number {
	const id = idFromUri(value, segment);
	if (id !== undefined) return id;
	throw new UserFacingError(
		`'${label}' is not a link with an ID: ${describeValue(value)}`,
		`Enter a link that ends in /${segment}/ and a number, e.g. https://example.com/api/${segment}/123/, or set '${label}' to By ID.`,
	);
}

/**
 * The id chosen in a resource locator.
 *
 * @param value `{ mode: 'id' | 'url', value }`; a bare value, as an expression or an agent may give
 *   for the whole parameter, counts as mode `id`
 * @throws UserFacingError naming the label; n8n itself checks fixed values at best
 *   (docs/n8n-engine.md#locator-patterns)
 */
export function parseLocator(value: unknown, kind: IdKind): number {
	if (!isObject(value)) return parseId(value, kind);
	return value.mode === 'url' ? parseUri(value.value, kind) : parseId(value.value, kind);
}

function listEntries(value: unknown, label: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((entry) => entry.trim());
	const list = parseJson(value);
	if (Array.isArray(list)) return list;
	throw new UserFacingError(
		`'${label}' starts like a list but is not a complete one: ${describeValue(value)}`,
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
			`'${label}' holds something that is not an ID: ${describeValue(entry)}`,
			`Correct or remove it: an ID is a whole number above zero, e.g. 123, or a link that ends in /${segment}/123/.`,
		);
	});
}
