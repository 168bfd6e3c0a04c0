import { parseJson } from './json';
import { describeValue, isEmpty, notValid, UserFacingError } from './userFacingError';

const ADVICE =
	'Enter values separated by commas, without quotation marks, or an expression that returns a list of strings.';

/** Text that begins like an object, a list of texts, or a code block, but is no list. */
const LIKE_CODE = /^(?:\{|```|\[\s*["'“„])/;
const QUOTED = /^(["'“„]).*["'”“]$/s;

/** Whether each bracket that an entry opens is closed in it: `[draft]`, but not `[draft`. */
function isBalanced(entry: string): boolean {
	return entry.split('[').length === entry.split(']').length;
}

function textEntries(value: string, label: string): unknown[] {
	const text = value.trim();
	const json = text.startsWith('[') ? parseJson(text) : undefined;
	if (Array.isArray(json)) return json;
	const entries = text.split(',');
	const isUnclear = (entry: string) => QUOTED.test(entry.trim()) || !isBalanced(entry);
	if (!LIKE_CODE.test(text) && !QUOTED.test(text) && !entries.some(isUnclear)) return entries;
	throw new UserFacingError(
		`${describeValue(text)} in '${label}' looks like a list or an object, but is neither a JSON list nor separated by commas`,
		ADVICE,
	);
}

/** Tags from comma-separated text, an array, or its JSON text, without empty ones and repeats. */
export function parseTags(value: unknown, label: string): string[] {
	const list = typeof value === 'string' ? textEntries(value, label) : [value].flat();
	const tags = list
		.filter((entry) => !isEmpty(entry))
		.map((entry) => {
			if (['string', 'number', 'boolean'].includes(typeof entry)) return String(entry).trim();
			throw notValid(entry, `'${label}'`, 'text', ADVICE);
		});
	return [...new Set(tags)];
}
