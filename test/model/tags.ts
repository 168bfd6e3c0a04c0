import {
	either,
	EMPTY,
	INVALID,
	isBroken,
	isEmptyCell,
	type Meaning,
	only,
	parsed,
	perhaps,
	trimmed,
} from './meaning';

/** The same letters in any spelling. */
export const sameTag = (tag: string): string => trimmed(tag).normalize('NFC');

function distinct(tags: string[]): string[] {
	const seen = new Map<string, string>();
	for (const tag of tags.map((text) => text.trim())) {
		if (tag !== '' && !seen.has(sameTag(tag))) seen.set(sameTag(tag), tag);
	}
	return [...seen.values()];
}

/** An array takes any tag, whatever is in it; its text is there where it was JSON. */
function tagsInArray(list: unknown[], text = ''): Meaning<string[]> {
	const entries = list.filter((entry) => !isEmptyCell(entry));
	if (entries.some((entry) => typeof entry === 'object')) return INVALID;
	// A number that JSON rounds is another tag than the one that was written.
	if (
		entries.some(
			(entry) =>
				Number.isInteger(entry) && Math.abs(Number(entry)) >= 2 ** 53 && /\d{16}/.test(text),
		)
	)
		return INVALID;
	const tags = distinct(entries.map(String));
	if (tags.some(isBroken)) return INVALID;
	// Silent: whether text of an empty list is a tag here, lists within a list, and what else is no text.
	const all = distinct(list.filter((entry) => typeof entry !== 'object').map(String));
	const isSilent =
		all.length > tags.length ||
		list.some((entry) => !['string', 'number'].includes(typeof (entry ?? '')));
	const meaning = tags.length > 0 ? only(tags) : EMPTY;
	if (isSilent || /\d[.eE]/.test(text))
		return either<string[]>(meaning, INVALID, all.length > 0 ? only(all) : EMPTY);
	return meaning;
}

const QUOTES = `"'\`“”„‟«»‘’‚‹›「」『』`;
/** Whether brackets of a kind are open in a text, and whether some are closed that were not opened, or cross. */
function brackets(text: string): { isOpen: boolean; isStray: boolean } {
	const count = (bracket: string) => text.split(bracket).length;
	const isOpen = ['()', '[]', '{}'].some(([open = '', close = '']) => count(open) > count(close));
	let rest = text.replace(/[^()[\]{}]/g, '');
	while (/\(\)|\[\]|\{\}/.test(rest)) rest = rest.replace(/\(\)|\[\]|\{\}/g, '');
	return { isOpen, isStray: rest !== '' };
}

/** One entry of comma-separated text. */
function entryOf(entry: string): Meaning<string> {
	const isQuoted = (at: number) => QUOTES.includes(entry.at(at) ?? ' ');
	if (entry.length > 1 && isQuoted(0) && isQuoted(-1)) return INVALID;
	if (brackets(entry).isOpen) return INVALID;
	return brackets(entry).isStray || /^\{/.test(entry) || isQuoted(0) || isQuoted(-1)
		? perhaps(entry)
		: only(entry);
}

/** What *Replace Tags*, *Add Tags* and *Remove Tags* list. */
export function tags(value: unknown): Meaning<string[]> {
	if (Array.isArray(value)) return tagsInArray(value);
	const isList = typeof value === 'string' && Array.isArray(parsed(value));
	if (isEmptyCell(value) && !isList) return EMPTY;
	if (typeof value === 'number' || typeof value === 'boolean') return perhaps([`${value}`]);
	if (typeof value !== 'string' || isBroken(value)) return INVALID;
	const text = value.trim();
	const json = parsed(text);
	if (Array.isArray(json)) return tagsInArray(json, text);
	if (/^\{|^```|^~~~|^\[\s*["']/.test(text)) return INVALID;
	const entries = text.split(',').map((entry) => entry.trim());
	if (entries.some((entry) => /[;|\t，、،､﹐﹑]/u.test(entry))) return INVALID;
	const listed = entries.filter((entry) => entry !== '');
	if (listed.length === 0) return either<string[]>(EMPTY, INVALID);
	const meanings = listed.map(entryOf);
	if (meanings.some(({ values }) => values.length === 0)) return INVALID;
	// A tag in quotation marks with a comma inside.
	const isSpread = /^["'].*,.*["']$/su.test(text) && listed.length > 1;
	// Silent: line breaks, other scripts' semicolons and brackets, what is not seen.
	const isSilent = /[；؛｜¦\ufe10-\ufe19\ufe50-\ufe6b\p{Cf}\p{Cc}\p{Zl}\p{Zp}（）［］【】]/u.test(
		text,
	);
	const isListLike = /^\[.*\]$/su.test(text) && listed.length > 1;
	const isPerhaps = isSpread || isSilent || isListLike || meanings.some((entry) => entry.isRefused);
	const list = distinct(listed);
	if (/[\n\r]/.test(text)) return either(only(distinct(text.split(/[,\n\r]/))), INVALID);
	return isPerhaps ? perhaps(list) : only(list);
}
