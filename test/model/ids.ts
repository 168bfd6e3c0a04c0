import {
	INVALID,
	isEmpty,
	type Meaning,
	only,
	orInvalid,
	parsed,
	trimmed,
	valuesOf,
} from './meaning';

const idOf = (number: number): Meaning<number> =>
	Number.isSafeInteger(number) && number > 0 ? only(number) : INVALID;

/** The ID in a URL such as `https://host/api/instances/7/`, whose host is the credential's. */
function idInUrl(text: string, kind: string, baseUrl: string): Meaning<number> {
	if (!URL.canParse(text)) return INVALID;
	const [url, base] = [new URL(text), new URL(baseUrl)];
	const [, id] = new RegExp(`/${kind}/([1-9]\\d*)/?$`).exec(url.pathname) ?? [];
	if (!/^https?:$/.test(url.protocol) || url.hostname !== base.hostname) return INVALID;
	// Anything more or less than `…/kind/<id>/` may also be refused.
	const isPlain = text.toLowerCase().endsWith(`${base.pathname}/${kind}/${id}/`);
	return orInvalid(idOf(Number(id)), !isPlain || url.username !== '');
}

/** An ID is a positive safe integer, as a number or text, or the URL of what it identifies. */
export function id(value: unknown, kind: string, baseUrl: string): Meaning<number> {
	if (typeof value === 'number') return idOf(value);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	if (!/^\+?\d+$/.test(text)) return idInUrl(text, kind, baseUrl);
	return orInvalid(idOf(Number(text)), /^[+0]/.test(text));
}

function listOf(entries: unknown[], baseUrl: string): Meaning<number[]> {
	const ids = entries.map((entry) => id(entry, 'instances', baseUrl));
	const values = ids.map(valuesOf);
	if (values.some(({ length }) => length === 0)) return INVALID;
	return orInvalid(only([...new Set(values.flat())]), ids.flat().includes('invalid'));
}

function idsInArray(list: unknown[], baseUrl: string): Meaning<number[]> {
	// Silent: empty entries, and lists within a list.
	const flat = list.flat().filter((entry) => !isEmpty(entry));
	return orInvalid(listOf(flat, baseUrl), flat.length < list.length || list.some(Array.isArray));
}

/** A whole number with thousands separators, or two numbers joined by a comma: one number, or several? */
const isAmbiguous = (text: string) => /^\d{1,3}(,\d{3})+$|^\d+,\d+$/.test(text);

/** Some people count in lakhs (`12,34,567`). Next to other separators, a comma may be a decimal one. */
const isPerhapsAmbiguous = (text: string) =>
	/^\d{1,2}(,\d{2})+,\d{3}$/.test(text) || (/\d,\d/.test(text) && /[;\s]/.test(text));

/** What *Instance IDs* of Bulk Delete lists in one item. */
export function ids(value: unknown, isExpression: boolean, baseUrl: string): Meaning<number[]> {
	if (typeof value === 'number') return listOf([value], baseUrl);
	if (Array.isArray(value)) return idsInArray(value, baseUrl);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	const visible = text.replace(/\p{Cf}/gu, '');
	const json = parsed(text);
	// In JSON, numbers may be spelled in ways in which IDs never are.
	if (Array.isArray(json)) return orInvalid(idsInArray(json, baseUrl), /\d[.eE]|\d{16}/.test(text));
	if (isExpression && isAmbiguous(visible)) return INVALID;
	const entries = text.split(/[,;\t\n\r]/);
	const listed = entries.filter((entry) => trimmed(entry) !== '');
	if (listed.length === 0) return INVALID;
	const isSilent = listed.length < entries.length || (isExpression && isPerhapsAmbiguous(visible));
	return orInvalid(listOf(listed, baseUrl), isSilent);
}
