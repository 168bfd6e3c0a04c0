import { parseJson } from './json';
import {
	describeValue,
	isEmpty,
	isPrintable,
	notValid,
	trimmed,
	UserFacingError,
} from './userFacingError';

const ADVICE =
	'Enter values separated by commas, without quotation marks, or an expression that returns a list of strings.';

/** People enter one tag a line, too. */
const SEPARATORS = /[,\n]/;

/** The list whose JSON a text is; undefined for any other text. */
function jsonList(text: string): unknown[] | undefined {
	const json = text.startsWith('[') ? parseJson(text) : undefined;
	return Array.isArray(json) ? json : undefined;
}

/** The entries of a list, of its JSON text, or of text with commas or on lines; or the value itself. */
export function entriesOf(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = trimmed(value);
	return jsonList(text) ?? text.split(SEPARATORS);
}

/** Text that begins like an object, a list of texts, or a code block. */
const LIKE_CODE = /^(?:\{|`|[[(]\s*["'“„‘«])/;
/** Also the begin of a quotation that has commas of its own; but a tag may be `'90s`. */
const QUOTED = /^(?:["“„«]|['‘].*['’]$)/s;

/** Rejects what looks like a list or an object, but is no JSON, and what is in quotation marks. */
function assertPlain(value: unknown, label: string): void {
	const entries = entriesOf(value);
	const isText = typeof value === 'string' && jsonList(trimmed(value)) === undefined;
	const isUnclear = (entry: unknown): entry is string => {
		if (typeof entry !== 'string') return false;
		const isOpen = entry.split('[').length !== entry.split(']').length;
		return LIKE_CODE.test(trimmed(entry)) || QUOTED.test(trimmed(entry)) || (isText && isOpen);
	};
	const unclear = (isText ? [value, ...entries] : entries).find(isUnclear);
	if (unclear === undefined) return;
	throw new UserFacingError(
		`${describeValue(isText ? value : unclear)} in '${label}' is neither a JSON list nor plain text separated by commas`,
		ADVICE,
	);
}

/** Whether there is nothing in a value, as in empty cells of a table: null, `', '`, `['', null]`; not in `[]`. */
export function hasOnlyEmptyTexts(value: unknown): boolean {
	const entries = entriesOf(value);
	return entries.length > 0 && entries.every(isEmpty);
}

/** Texts such as tags from comma-separated text, an array, or its JSON text, without empty ones and repeats. */
export function parseTexts(value: unknown, label: string): string[] {
	assertPlain(value, label);
	const filled = entriesOf(value).filter((entry) => !isEmpty(entry));
	const texts = filled.map((entry) => {
		if (isPrintable(entry)) return trimmed(String(entry));
		throw notValid(entry, `'${label}'`, 'text', ADVICE);
	});
	return [...new Set(texts)];
}
