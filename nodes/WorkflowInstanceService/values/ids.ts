import { isObject } from './json';
import { describeValue, isEmpty, trimmed } from './text';
import { entriesOf, listIn } from './textList';
import { notValid, UserFacingError } from './userFacingError';

/** What has a URL `…/<segment>/<id>/` (docs/dev/service-interface.md#base-url). */
export type IdKind = { label: string; noun: string; segment: string; url: RegExp; foundIn: string };

export const INSTANCE: IdKind = {
	label: 'Instance',
	noun: 'an instance',
	segment: 'instances',
	url: /^https?:\/\/[^\s?#]+\/instances\/(\d+)\/?(?:[?#]\S*)?$/i,
	foundIn:
		"as in the instance's 'url' field. The public URL ('public_url') doesn't contain the ID.",
};
export const PROCESS: IdKind = {
	label: 'Process',
	noun: 'a process',
	segment: 'processes',
	url: /^https?:\/\/[^\s?#]+\/processes\/(\d+)\/?(?:[?#]\S*)?$/i,
	foundIn: "as in the 'process' field of an instance.",
};

/** A whole number, or its text, as a number; undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' && !isEmpty(value) ? Number(trimmed(value)) : value;
	return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** A positive safe integer, from a number or its digits, even between blanks; undefined for anything else. */
export function plainId(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const digits = trimmed(String(value));
	const id = Number(digits);
	return /^[1-9]\d*$/.test(digits) && Number.isSafeInteger(id) ? id : undefined;
}

/** The ID in a URL that ends in `/<segment>/<id>/`; undefined for anything else. */
export function idFromUrl(value: unknown, { url }: IdKind): number | undefined {
	return typeof value === 'string' ? plainId(url.exec(value)?.[1]) : undefined;
}

/** The instance ID that a value is, or that is in its URL, on any host; undefined for anything else. */
export function instanceIdIn(value: unknown): number | undefined {
	return plainId(value) ?? idFromUrl(value, INSTANCE);
}

/** What the builder can do about a value that is no ID. */
export function adviceOnNoId(value: unknown): string {
	if (Number.isNaN(value))
		return 'If the name of the column contains a hyphen, use brackets, e.g. {{ $json["Instance-ID"] }}.';
	const text = typeof value === 'string' ? value : '';
	if (/\/instances\/\d/.test(text))
		return "To use the URL in a text, use an expression, e.g. {{ $json['text'].match(/https?:\\S+?\\/instances\\/\\d+/)[0] }}, with the name of your column instead of text.";
	if (/^0*[1-9]\d{0,14}(\.0+)?$/.test(text))
		return "For a number as text, use an expression, e.g. {{ /^\\d+(\\.0+)?$/.test($json['instance_id']) ? Number($json['instance_id']) : $json['instance_id'] }}, with the name of your column instead of instance_id.";
	const isTemplate = /\{\{|\$json|\$\(/.test(text);
	return isTemplate
		? "To use an expression, switch the field to Expression, with {{ }} around it. In a workflow's JSON, it also starts with =."
		: 'If you use an expression, check what it returns.';
}

/** Reads an ID, or a URL with an ID on the service of the base URL. */
function parseId(entered: unknown, kind: IdKind, place: string, baseUrl: string, advice: string) {
	const value = typeof entered === 'string' ? trimmed(entered) : entered;
	const id = plainId(value);
	if (id !== undefined) return id;
	const { noun, segment, foundIn } = kind;
	const isUrl = typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
	if (!isUrl) {
		throw notValid(value, place, `the ID of ${noun}`, advice, adviceOnNoId(value));
	}
	const linked = idFromUrl(value, kind);
	if (linked === undefined) {
		const other = [INSTANCE, PROCESS].find((each) => idFromUrl(value, each) !== undefined);
		const what = other ? `the URL of ${other.noun}, not of` : 'not the URL of';
		throw new UserFacingError(
			`${describeValue(value)} in ${place} is ${what} ${noun}`,
			`Enter the ID, e.g. 123, or the URL that ends in /${segment}/123/, ${foundIn}`,
		);
	}
	const { hostname: there } = new URL(value);
	const { hostname: expected } = new URL(baseUrl);
	if (there === expected) return linked;
	throw new UserFacingError(
		`The URL in ${place} is on ${there}, but the credential is for ${expected}`,
		`Use an ID or a URL on ${expected}, or select the credential for ${there}.`,
	);
}

/** What was chosen in a resource locator; any other value as it is. */
export function chosenIn(value: unknown): unknown {
	// The editor leaves out the value of an expression that returned nothing.
	const isChoice =
		isObject(value) && (value.__rl === true || /^(?:id|list|url)$/.test(String(value.mode)));
	return isChoice ? value.value : value;
}

/** The ID chosen in a resource locator, in any mode as an ID or as a URL of the service. */
export function parseLocator(value: unknown, kind: IdKind, baseUrl: string): number {
	const { label, segment } = kind;
	const advice = `Enter a whole number above zero, without leading zeros, e.g. 123, or a URL that ends in /${segment}/123/.`;
	return parseId(chosenIn(value), kind, `'${label}'`, baseUrl, advice);
}

const ID_ADVICE =
	'Correct or remove it. Enter whole numbers above zero, separated by commas, without leading zeros or quotation marks, e.g. 12, 15, or URLs that end in /instances/123/.';

const SEPARATORS = /[,;\t\r\n]/;
/** Either one number with separators, such as 1,234, 12,34,567 or 19,99, or several IDs. */
const ONE_NUMBER = /^[\s,]*(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d+,\d+)[\s,]*$/;
/** Either one URL with a comma, or several IDs. It starts at a word, to search long text from fewer places. */
const ONE_URL = /(?:^|\s)[^\s?#]*[?#]\S*,\S/;

const SEPARATE = 'Separate IDs by a comma and a space, e.g. 12, 345.';

/** Throws UserFacingError if part of a text could be one ID or several. What the user typed is a list. */
function assertUnambiguous(text: string, place: string, isTyped: boolean): void {
	const message = () => `${describeValue(text)} in ${place} may be one ID or several`;
	const visible = text.replace(/\p{Cf}/gu, '');
	if (ONE_URL.test(visible)) {
		const advice = `${SEPARATE} In a URL, remove the question mark and everything after it.`;
		throw new UserFacingError(message(), advice);
	}
	const parts = isTyped ? [] : visible.split(/[;\t\r\n]|,\s+/);
	if (!parts.some((part) => ONE_NUMBER.test(part))) return;
	// No expression for one ID: without its comma, 107,0 would be another instance.
	const builderAdvice =
		"In an expression, use {{ typeof $json['instance_ids'] === 'string' ? $json['instance_ids'].split(',') : $json['instance_ids'] }} with the name of your column for several IDs. For one ID, format its column as whole numbers without separators.";
	throw new UserFacingError(message(), SEPARATE, { builderAdvice });
}

/**
 * All instance IDs, or those of URLs, in a number, in separated text, or in an array or its JSON text. One invalid
 * entry makes the value invalid. `101,102` is only a list if the user typed it. Otherwise, it may be one number.
 * @returns undefined if there is no value
 */
export function parseIdList(value: unknown, place: string, baseUrl: string, isTyped: boolean) {
	const list = listIn(value);
	const entries = entriesOf(list, SEPARATORS);
	// An empty list is a way to say that there are none.
	if (entries.length > 0 && entries.every(isEmpty)) return undefined;
	if (typeof list === 'string') assertUnambiguous(list, place, isTyped);
	return entries.map((entry) => {
		if (isEmpty(entry)) {
			throw new UserFacingError(`The list in ${place} contains an empty entry`, ID_ADVICE);
		}
		return parseId(entry, INSTANCE, place, baseUrl, ID_ADVICE);
	});
}
