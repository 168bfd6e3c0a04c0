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

function entriesOf(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = trimmed(value);
	return jsonList(text) ?? text.split(SEPARATORS);
}

/** Text that begins like an object, a list of texts, or a code block. */
const LIKE_CODE = /^(?:\{|```|[[(]\s*["'“„‘«])/;
/** Also the begin of a quotation that has commas of its own; but a tag may be `'90s`. */
const QUOTED = /^(?:["“„«]|['‘].*['’]$)/s;

/** Rejects text that looks like a list or an object, but is no JSON, and text in quotation marks. */
function assertPlain(value: string, label: string): void {
	const text = trimmed(value);
	const isOpen = (entry: string) => entry.split('[').length !== entry.split(']').length;
	const isUnclear = (entry: string) => QUOTED.test(trimmed(entry)) || isOpen(entry);
	if (jsonList(text) !== undefined) return;
	if (!LIKE_CODE.test(text) && ![text, ...text.split(SEPARATORS)].some(isUnclear)) return;
	throw new UserFacingError(
		`${describeValue(text)} in '${label}' is neither a JSON list nor plain text separated by commas`,
		ADVICE,
	);
}

/** Whether tags were left out, as empty cells of a table are: null, `', '`, `['', null]`; not for `[]`. */
export function hasOnlyEmptyTags(value: unknown): boolean {
	const entries = entriesOf(value);
	return entries.length > 0 && entries.every(isEmpty);
}

/** Tags from comma-separated text, an array, or its JSON text, without empty ones and repeats. */
export function parseTags(value: unknown, label: string): string[] {
	if (typeof value === 'string') assertPlain(value, label);
	const filled = entriesOf(value).filter((entry) => !isEmpty(entry));
	const tags = filled.map((entry) => {
		if (isPrintable(entry)) return trimmed(String(entry));
		throw notValid(entry, `'${label}'`, 'text', ADVICE);
	});
	return [...new Set(tags)];
}
