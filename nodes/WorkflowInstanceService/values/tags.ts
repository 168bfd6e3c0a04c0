import { parseJson } from './json';
import { isEmpty, notExpected } from './userFacingError';

const ADVICE = 'Enter values separated by commas, or an expression that returns a list of strings.';

function entriesOf(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const json = value.trim().startsWith('[') ? parseJson(value) : undefined;
	return Array.isArray(json) ? json : value.split(',');
}

/** Whether tags were left out, as empty cells of a table are: null, `', '`, `['', null]`; not for `[]`. */
export function hasOnlyEmptyTags(value: unknown): boolean {
	const entries = entriesOf(value);
	return entries.length > 0 && entries.every(isEmpty);
}

/** Tags from comma-separated text, an array, or its JSON text, without empty ones and repeats. */
export function parseTags(value: unknown, label: string): string[] {
	const filled = entriesOf(value).filter((entry) => !isEmpty(entry));
	const tags = filled.map((entry) => {
		if (['string', 'number', 'boolean'].includes(typeof entry)) return String(entry).trim();
		throw notExpected(entry, `'${label}'`, 'text', ADVICE);
	});
	return [...new Set(tags)];
}
