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

/** The list whose JSON a text is; undefined for any other text. */
function jsonList(text: string): unknown[] | undefined {
	const json = text.startsWith('[') ? parseJson(text) : undefined;
	return Array.isArray(json) ? json : undefined;
}

/** The entries of a list, of its JSON text, or of text with commas or on lines, without empty ones; else the value. */
export function entriesOf(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = trimmed(value);
	const filled = text.split(/[,\n]/).filter((entry) => !isEmpty(entry));
	return jsonList(text) ?? (filled.length > 0 ? filled : ['']);
}

/** Whether there is nothing in a value, as in empty cells of a table: null, `', '`, `['', null]`; not in `[]`. */
export function hasOnlyEmptyTexts(value: unknown): boolean {
	const entries = entriesOf(value);
	return entries.length > 0 && entries.every(isEmpty);
}

/** Text like an object, code, a list of texts, or a quotation. But a tag may be `'90s` or `[draft]`. */
const UNCLEAR = /^(?:[{`"“„«]|[[(]\s*["'“„‘«]|['‘].*['’]$)/s;

/** Whether a comma within brackets has cut an entry. */
function isCut(entry: string): boolean {
	return entry.split('[').length !== entry.split(']').length;
}

/**
 * Texts such as tags from comma-separated text, an array, or its JSON text, without empty ones and repeats.
 * Rejects what looks like a list or an object, but is no JSON, and what is in quotation marks.
 */
export function parseTexts(value: unknown, label: string): string[] {
	const entries = entriesOf(value);
	const isPlain = typeof value === 'string' && jsonList(trimmed(value)) === undefined;
	const unclear = [...(isPlain ? [value] : []), ...entries].find(
		(entry) =>
			typeof entry === 'string' && (UNCLEAR.test(trimmed(entry)) || (isPlain && isCut(entry))),
	);
	if (unclear !== undefined) {
		throw new UserFacingError(
			`${describeValue(unclear)} in '${label}' is neither a JSON list nor plain text separated by commas`,
			ADVICE,
		);
	}
	const texts = entries.flatMap((entry) => {
		if (isEmpty(entry)) return [];
		if (isPrintable(entry)) return trimmed(String(entry));
		throw notValid(entry, `'${label}'`, 'text', ADVICE);
	});
	return [...new Set(texts)];
}
