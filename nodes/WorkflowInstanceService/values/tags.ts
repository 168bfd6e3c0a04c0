import { parseJson } from './json';
import { isEmpty, notExpected } from './userFacingError';

const ADVICE = 'Enter values separated by commas, or an expression that returns a list of strings.';

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	const json = value.trim().startsWith('[') ? parseJson(value) : undefined;
	return Array.isArray(json) ? json : value.split(',');
}

/**
 * Whether a value has room for tags, but nothing in it, as empty cells of a table give: null, `', '`,
 * `['', null]`. An empty list means no tags.
 */
export function hasOnlyEmptyTags(value: unknown): boolean {
	const entries = entriesOf(value);
	return entries.length > 0 && entries.every(isEmpty);
}

/**
 * Tags from comma-separated text, an array, or the JSON text of an array: blanks trimmed, empty ones
 * and repeats dropped, order kept.
 *
 * @param label the label of the parameter
 * @throws UserFacingError naming the label when the value, or an entry of the list, is no text
 */
export function parseTags(value: unknown, label: string): string[] {
	const tags = entriesOf(value)
		.filter((entry) => !isEmpty(entry))
		.map((entry) => {
			if (['string', 'number', 'boolean'].includes(typeof entry)) return String(entry).trim();
			throw notExpected(entry, `'${label}'`, 'text', ADVICE);
		});
	return [...new Set(tags)];
}
