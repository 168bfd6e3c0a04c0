import { EMPTY, INVALID, isEmpty, type Meaning, only, orInvalid, parsed, trimmed } from './meaning';

/** Half a character, or an object that became text: refused in names and tags. */
const isBroken = (text: string): boolean =>
	/\p{Cs}/u.test(text) || text.includes('[object Object]');

/** Equal for the same letters in any encoding. */
export const sameTag = (tag: unknown): string => trimmed(String(tag)).normalize('NFC');

function distinct(tags: string[]): string[] {
	const seen = new Map<string, string>();
	for (const tag of tags.map((text) => text.trim())) {
		if (sameTag(tag) !== '' && !seen.has(sameTag(tag))) seen.set(sameTag(tag), tag);
	}
	return [...seen.values()];
}

/** Tags in an array may contain anything. `text` is the JSON, if it came from any. */
function tagsInArray(list: unknown[], text = ''): Meaning<string[]> {
	const entries = list.filter((entry) => !isEmpty(entry));
	// A number that JSON rounds isn't the tag that was written.
	const isRounded = (entry: unknown) =>
		Number.isInteger(entry) && Math.abs(Number(entry)) >= 2 ** 53 && /\d{16}/.test(text);
	if (entries.some((entry) => typeof entry === 'object' || isRounded(entry))) return INVALID;
	const tags = distinct(entries.map(String));
	if (tags.some(isBroken)) return INVALID;
	const meaning = tags.length > 0 ? only(tags) : EMPTY;
	// Silent: whether the text of an empty list is a tag here, lists within a list, and anything else that isn't text.
	const all = distinct(list.filter((entry) => typeof (entry ?? {}) !== 'object').map(String));
	const isSilent =
		all.length > tags.length ||
		list.some((entry) => !['string', 'number'].includes(typeof (entry ?? ''))) ||
		/\d[.eE]/.test(text);
	return isSilent ? [...meaning, ...(all.length > 0 ? only(all) : EMPTY), 'invalid'] : meaning;
}

const QUOTES = `"'\`“”„‟«»‘’‚‹›「」『』`;

/** One entry of comma-separated text. */
function entryOf(entry: string): Meaning<string> {
	const quotes = [entry.at(0), entry.at(-1)].filter((end = ' ') => QUOTES.includes(end));
	const isMixed = /^["'`]/.test(entry) && entry.at(0) !== entry.at(-1);
	if (entry.length > 1 && quotes.length === 2 && !isMixed) return INVALID;
	const count = (bracket: string) => entry.split(bracket).length;
	if (count('(') > count(')') || count('[') > count(']') || count('{') > count('}')) return INVALID;
	let brackets = entry.replace(/[^()[\]{}]/g, '');
	while (/\(\)|\[\]|\{\}/.test(brackets)) brackets = brackets.replace(/\(\)|\[\]|\{\}/g, '');
	// Silent: an empty list in JSON, as in `[], urgent`.
	const isList = /^\[\s*\]$/.test(entry);
	const isSilent = brackets !== '' || isList || entry.startsWith('{') || quotes.length > 0;
	return orInvalid(only(entry), isSilent);
}

function tagsIn(value: unknown): Meaning<string[]> {
	if (Array.isArray(value)) return tagsInArray(value);
	if (typeof value === 'number' || typeof value === 'boolean') return orInvalid(only([`${value}`]));
	if (typeof value !== 'string' || isBroken(value)) return INVALID;
	const text = value.trim();
	const json = parsed(text);
	if (Array.isArray(json)) return tagsInArray(json, text);
	// Silent: JSON with invisible characters at its ends.
	const visible = parsed(trimmed(text));
	if (Array.isArray(visible)) return orInvalid([...tagsInArray(visible, text), ...only([text])]);
	if (/^\{|^```|^~~~|^\[\s*["']/.test(text)) return INVALID;
	const lines = text.split(/[,\n\r]/).map((entry) => entry.trim());
	if (lines.some((entry) => /[;|\t，、،､﹐﹑]/u.test(entry))) return INVALID;
	const entries = text.split(',').map((entry) => entry.trim());
	const listed = entries.filter((entry) => entry !== '');
	if (listed.length === 0) return orInvalid<string[]>(EMPTY);
	const meanings = listed.map(entryOf);
	if (meanings.some((meaning) => meaning === INVALID)) return INVALID;
	if (/[\n\r]/.test(text)) return orInvalid(only(distinct(text.split(/[,\n\r]/))));
	// Silent: text entirely in brackets or quotation marks, punctuation of other scripts, invisible characters.
	const isSilent =
		(listed.length > 1 && /^\[.*\]$|^["'].*["']$/su.test(text)) ||
		/(?![ -~])[\p{P}\p{Cf}\p{Cc}\p{Zl}\p{Zp}｜¦]/u.test(text);
	return orInvalid(only(distinct(listed)), isSilent || meanings.flat().includes('invalid'));
}

/** What *Replace Tags*, *Add Tags* and *Remove Tags* list. Silent: characters that could not be decoded. */
export function tags(value: unknown): Meaning<string[]> {
	return orInvalid(tagsIn(value), String(JSON.stringify(value)).includes('\ufffd'));
}
