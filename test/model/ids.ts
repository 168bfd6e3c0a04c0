import {
	either,
	EMPTY,
	INVALID,
	isEmptyCell,
	type Meaning,
	only,
	parsed,
	perhaps,
	trimmed,
} from './meaning';

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const idOf = (value: unknown): Meaning<number> => (isId(value) ? only(value) : INVALID);

/** The id in a resource URI such as `https://host/api/instances/7/`, whose host has to be the credential's. */
function idInUrl(text: string, kind: string, baseUrl: string): Meaning<number> {
	if (!URL.canParse(text)) return INVALID;
	const url = new URL(text);
	const id = new RegExp(`/${kind}/([1-9]\\d*)(/?)$`).exec(url.pathname);
	const base = new URL(baseUrl);
	if (!id || !/^https?:$/.test(url.protocol) || url.hostname !== base.hostname) return INVALID;
	const number = idOf(Number(id[1]));
	// Said is only `…/kind/<id>/`: whatever is more or less than that may be refused as well.
	const isPlain = text.toLowerCase().endsWith(`${base.pathname}/${kind}/${id[1]}/`);
	return isPlain && url.username === '' ? number : either(number, INVALID);
}

/** An id is a positive safe integer, as a number or text, or the URL of what it is the id of. */
export function id(value: unknown, kind: string, baseUrl: string): Meaning<number> {
	if (typeof value === 'number') return idOf(value);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	if (/^[1-9]\d*$/.test(text)) return idOf(Number(text));
	if (/^\+?0*[1-9]\d*$/.test(text)) return either(idOf(Number(text)), INVALID);
	return idInUrl(text, kind, baseUrl);
}

const distinct = (ids: number[]) => [...new Set(ids)];

/** A list of ids out of what each entry means. */
function allOf(entries: Array<Meaning<number>>): Meaning<number[]> {
	if (entries.some(({ values }) => values.length === 0)) return INVALID;
	const ids = distinct(entries.flatMap(({ values }) => values));
	return entries.some(({ isRefused }) => isRefused) ? perhaps(ids) : only(ids);
}

function idsInArray(list: unknown[], baseUrl: string): Meaning<number[]> {
	if (list.length === 0) return only([]);
	// Silent: entries that say nothing, and lists within a list.
	const flat = list.flat().filter((entry) => !isEmptyCell(entry));
	if (flat.length === 0) return either<number[]>(only([]), INVALID);
	const ids = allOf(flat.map((entry) => id(entry, 'instances', baseUrl)));
	return flat.length === list.length && !list.some(Array.isArray) ? ids : either(ids, INVALID);
}

/** Numbers with separators of thousands as a whole, or two numbers joined by a comma: one number or two? */
const isAmbiguous = (text: string) => /^\d{1,3}(,\d{3})+$|^\d+,\d+$/.test(text);

/** Some count in lakhs (`12,34,567`); beside other separators, a comma may be one of decimals. */
const isPerhapsAmbiguous = (text: string) =>
	/^\d{1,2}(,\d{2})+,\d{3}$/.test(text) || (/\d,\d/.test(text) && /[;\s]/.test(text));

/** What *Instance IDs* of Bulk Delete lists in one item. */
export function ids(value: unknown, isExpression: boolean, baseUrl: string): Meaning<number[]> {
	if (typeof value === 'number') return allOf([idOf(value)]);
	if (Array.isArray(value)) return idsInArray(value, baseUrl);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	const json = parsed(text);
	if (Array.isArray(json)) {
		// JSON spells numbers in ways that no id is spelled.
		const list = idsInArray(json, baseUrl);
		return /\d[.eE]|\d{16}/.test(text) ? either(list, INVALID) : list;
	}
	if (isExpression && isAmbiguous(text)) return INVALID;
	const entries = text.split(/[,;\t\n\r]/).map(trimmed);
	const listed = entries.filter((entry) => entry !== '');
	if (listed.length === 0) return INVALID;
	const list = allOf(listed.map((entry) => id(entry, 'instances', baseUrl)));
	const isSilent = listed.length < entries.length || (isExpression && isPerhapsAmbiguous(text));
	return isSilent ? either(list, INVALID) : list;
}

/** A step or a user: their ids are numbers without a URL. An empty one may be absent. */
export function plainId(value: unknown): Meaning<number> {
	if (isEmptyCell(value)) return EMPTY;
	return id(value, '(none)', 'https://none.invalid');
}
