import { parseJson } from './json';
import { describeValue, UserFacingError } from './userFacingError';

function entries(value: unknown, label: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value === 'number' || typeof value === 'boolean') return [value];
	if (typeof value !== 'string') throw notTags(value, label);
	const json = value.trim().startsWith('[') ? parseJson(value) : undefined;
	return Array.isArray(json) ? json : value.split(',');
}

function notTags(value: unknown, label: string): UserFacingError {
	return new UserFacingError(
		`'${label}' cannot be ${describeValue(value)}`,
		'Enter texts separated by commas, or an expression that gives a list of texts.',
	);
}

/**
 * Tags from comma-separated text, an array, or the JSON text of an array: blanks trimmed, empty ones
 * and repeats dropped, order kept.
 *
 * @param label the label of the parameter
 * @throws UserFacingError naming the label when the value, or an entry of the list, is no text
 */
export function parseTags(value: unknown, label: string): string[] {
	const tags = entries(value, label).map((entry) => {
		if (['string', 'number', 'boolean'].includes(typeof entry)) return String(entry).trim();
		throw notTags(entry, label);
	});
	return [...new Set(tags.filter((tag) => tag !== ''))];
}
