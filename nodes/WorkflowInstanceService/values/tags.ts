import { parseJson } from './json';
import { notExpected, notExpectedEntry } from './userFacingError';

const ADVICE = 'Enter values separated by commas, or an expression that returns a list of strings.';

function entries(value: unknown, place: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value === 'number' || typeof value === 'boolean') return [value];
	if (typeof value !== 'string') throw notExpected(value, place, 'text', ADVICE);
	const json = value.trim().startsWith('[') ? parseJson(value) : undefined;
	return Array.isArray(json) ? json : value.split(',');
}

/**
 * Tags from comma-separated text, an array, or the JSON text of an array: blanks trimmed, empty ones
 * and repeats dropped, order kept.
 *
 * @param label the label of the parameter
 * @throws UserFacingError naming the label when the value, or an entry of the list, is no text
 */
export function parseTags(value: unknown, label: string): string[] {
	const place = `'${label}'`;
	const tags = entries(value, place).map((entry) => {
		if (['string', 'number', 'boolean'].includes(typeof entry)) return String(entry).trim();
		throw notExpectedEntry(entry, place, 'text', ADVICE);
	});
	return [...new Set(tags.filter((tag) => tag !== ''))];
}
