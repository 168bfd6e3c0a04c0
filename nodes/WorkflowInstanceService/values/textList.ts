import { parseExactJson, parseJson } from './json';
import { describeValue, isEmpty, isPrintable, trimmed } from './text';
import { notValid, UserFacingError } from './userFacingError';

/** What formulas and expressions return instead of text when they fail. */
const SLIPS: ReadonlyArray<[slip: RegExp, advice: string]> = [
	[
		/\[object Object\]/,
		'Enter text, or use a value inside the object, e.g. user.name instead of user.',
	],
	[/Invalid DateTime|Invalid Date$/, 'Check the date in the expression, and its format.'],
	[
		/\ufffd/,
		'A file was read in the wrong encoding. In Extract from File, choose its encoding, e.g. windows-1252 for CSV files from Excel.',
	],
	// Of Excel and Google Sheets, in English, German and French.
	[
		/^#(?:BEZUG!|CALC!|DIV\/0!|ERROR!|N\/A|NAME\?|NOM\?|NOMBRE!|NUL!|NULL!|NUM!|NV|REF!|SPILL!|VALEUR!|VALUE!|WERT!|ZAHL!)$/,
		'Correct the formula in the spreadsheet.',
	],
];

const ON_FALSE =
	"With &&, an expression returns false if its condition isn't met. Use ? and : instead, e.g. {{ $json.vip ? 'vip' : '' }}.";

/** The list in exact JSON text; any other value as it is, but a list's holes, which would be skipped, as undefined. */
export function listIn(value: unknown): unknown {
	const text = typeof value === 'string' ? trimmed(value) : '';
	// To find out by parsing that a text isn't JSON takes long.
	const json = text.startsWith('[') ? parseExactJson(text) : undefined;
	const list = json ?? value;
	return Array.isArray(list) ? Array.from<unknown>(list) : list;
}

/**
 * The entries of a list or of its JSON text, the filled entries of separated text, or else the value itself. So only a
 * list without entries has none: text without filled entries has an empty one.
 */
export function entriesOf(value: unknown, separators = /[,\r\n]/): unknown[] {
	const list = listIn(value);
	if (typeof list !== 'string') return Array.isArray(list) ? list : [list];
	const filled = list.split(separators).filter((entry) => !isEmpty(entry));
	return filled.length > 0 ? filled : [''];
}

/** The values of a list, but only the first of those with equal keys. */
export function distinct<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
	const byKey = new Map<string, T>();
	for (const value of values) if (!byKey.has(keyOf(value))) byKey.set(keyOf(value), value);
	return [...byKey.values()];
}

/** A text, or a value that can be written as one. Throws UserFacingError about what results from slips in expressions. */
export function parseText(value: unknown, label: string): string {
	// Usually, `false` is left over from a condition in an expression.
	if (typeof value === 'boolean' || !isPrintable(value)) {
		const builderAdvice = value === false ? ON_FALSE : '';
		throw notValid(value, `'${label}'`, 'text', 'Enter text.', builderAdvice);
	}
	const text = String(value);
	for (const [pattern, advice] of SLIPS) {
		const [slip] = pattern.exec(trimmed(text)) ?? [];
		if (slip === undefined) continue;
		throw new UserFacingError(`'${label}' contains ${slip} instead of text`, advice);
	}
	if (!/\p{Cs}/u.test(text)) return text;
	throw new UserFacingError(
		`'${label}' contains half a character, such as part of an emoji`,
		'Enter whole characters.',
		{
			builderAdvice:
				"To shorten text in an expression, use [...text].slice(0, 100).join('') instead of text.slice(0, 100).",
		},
	);
}

/** Text like an object, code, a list of texts, or a quotation. But a tag may be `'90s` or `[draft]`. */
const UNCLEAR = /^(?:[{`"“„«»‚‹›「『＂]|[[(]\s*["'“„‘«]|\[\s*\]$|['‘].*['’]$)/s;
/** A line of a list. Alone, it may be a tag. */
const BULLET = /^[-–—*+•◦▪‣](?:\s|$)/;
/** A quotation with a comma within it. */
const CUT_QUOTATION = /(?:^|,)['‘][^'‘’,]*(?:,[^'‘’,]*)+['’](?:,|$)/;
/** Semicolons, bars, tabs, and the commas and semicolons of other scripts. */
const OTHER_SEPARATOR =
	/[;|\t\u037e\u055d\u060c\u061b\u1363\u1364\u1802\u1808\u3001\ufe10\ufe11\ufe14\ufe50\ufe51\ufe54\uff0c\uff1b\uff5c\uff64]/;

/** Whether plain text between commas may be several values, or part of one that has a comma within brackets. */
function isCut(entry: string): boolean {
	const count = (bracket: string) => entry.split(bracket).length;
	const isOpen = count('(') > count(')') || count('[') > count(']') || count('{') > count('}');
	return isOpen || OTHER_SEPARATOR.test(trimmed(entry));
}

/**
 * A text whose values are unclear, or its part with such values; undefined if all are clear.
 * @param parts what is between its commas and line breaks
 */
function unclearIn(list: string, parts: readonly string[]): string | undefined {
	const text = trimmed(list);
	const texts = parts.map(trimmed);
	const hasBullets = /[\r\n]/.test(text) && texts.some((each) => BULLET.test(each));
	const isInexactJson = text.startsWith('[') && parseJson(text) !== undefined;
	if (hasBullets || isInexactJson || CUT_QUOTATION.test(texts.join(','))) return list;
	return [list, ...parts].find((each) => UNCLEAR.test(trimmed(each))) ?? parts.find(isCut);
}

/**
 * Texts such as tags from comma-separated text, an array, or its JSON text, without empty ones and repeats.
 * Throws UserFacingError about text that looks like a list or an object but isn't JSON, or has other separators.
 */
export function parseTexts(value: unknown, label: string): string[] {
	const list = listIn(value);
	const entries = entriesOf(list);
	const unclear = typeof list === 'string' ? unclearIn(list, entries.map(String)) : undefined;
	if (unclear !== undefined) {
		const [separator] = OTHER_SEPARATOR.exec(unclear) ?? [];
		const separators = `/[${separator === '\t' ? '\\t' : separator},\\r\\n]/`;
		// Other cells may contain a list or a number.
		const example = separator
			? `, e.g. {{ typeof $json['tags'] === 'string' ? $json['tags'].split(${separators}) : $json['tags'] }}, with the name of your column`
			: '';
		throw new UserFacingError(
			`${describeValue(unclear)} in '${label}' is neither a JSON list nor plain text separated by commas`,
			'Enter values separated by commas, without quotation marks, or a JSON list, e.g. ["a", "b"].',
			{ builderAdvice: `Or use an expression that returns a list${example}.` },
		);
	}
	const filled = entries.filter((entry) => !isEmpty(entry));
	const texts = filled.map((entry) => trimmed(parseText(entry, label)));
	return distinct(texts, (text) => text.normalize());
}
