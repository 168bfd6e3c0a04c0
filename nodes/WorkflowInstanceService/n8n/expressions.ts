import { isExpression, isSafeObjectProperty } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import { isEmpty, isPrintable } from '../values/text';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import type { InputItem } from './inputItem';

/** Whether a parameter is, or contains, an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (isExpression(parameter)) return true;
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

const BLANKS = '[ \\t\\r\\n]*';
/** Only keys that mean the same to all parsers through which n8n passes an expression. */
const NAME = '[A-Za-z_]\\w*';
const NO_TEXT = '`\\\\{}\\p{Cc}\\p{Cs}\\u2028\\u2029';
const QUOTED = `"[^"${NO_TEXT}]+"|'[^'${NO_TEXT}]+'`;
const STEP = `${BLANKS}(?:\\.${BLANKS}${NAME}|\\[${BLANKS}(?:${QUOTED}|0|[1-9]\\d{0,8})${BLANKS}\\])`;
const SOURCE = `\\$json|\\$\\((?<node>"[^"\\\\]+"|'[^'\\\\]+')\\)\\.item\\.json`;
const PATH = new RegExp(
	`^=\\s*\\{\\{${BLANKS}(?:${SOURCE})(?<steps>(?:${STEP})+)${BLANKS}\\}\\}\\s*$`,
	'u',
);
const EACH_KEY = new RegExp(`${QUOTED}|[\\p{L}\\p{M}\\p{N}_$]+`, 'gu');
/** What n8n rejects or replaces anywhere in an expression. */
const TOUCHED_BY_N8N = /constructor|globalThis/;

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/s, '$2');

/** The keys in the steps of a path, such as `.order["id"]`. */
function keysIn(steps: string): string[] {
	return [...steps.matchAll(EACH_KEY)].map(([key]) => unquoted(key));
}

/** A value of an item, as n8n inserts it when it's dragged into a field. */
export interface Path {
	/** The node whose item it's from; absent for the input item. */
	readonly node?: string;
	readonly keys: readonly string[];
}

/**
 * The path that an expression consists of, e.g. `={{ $json.order["id"] }}` or `={{ $('Rows').item.json.id }}`;
 * undefined for any other expression, which is code that only n8n understands.
 */
export function pathOf(expression: unknown): Path | undefined {
	const { node, steps } = PATH.exec(String(expression))?.groups ?? {};
	if (steps === undefined || TOUCHED_BY_N8N.test(steps)) return undefined;
	const keys = keysIn(steps);
	// n8n may find other keys outside the item, or refuse to read them.
	const isPlain = (key: string) => !(key in Object.prototype) && isSafeObjectProperty(key);
	return keys.every(isPlain) ? { node: node && unquoted(node), keys } : undefined;
}

/** The value that a path leads to, unless it's inherited; undefined if the path leads nowhere. */
export function valueAt(source: unknown, [key, ...rest]: readonly string[]): unknown {
	if (key === undefined) return source;
	if (source === undefined || source === null || source instanceof Date) return undefined;
	return valueAt(Object.getOwnPropertyDescriptor(source, key)?.value, rest);
}

/** Whether n8n passes on a value unchanged. */
function isUnchanged(value: unknown): boolean {
	const values = Array.isArray(value) ? Array.from<unknown>(value) : [value];
	return values.every((each) => each === null || isPrintable(each));
}

/**
 * Returns a function that reads a path into the input item, or a structure of such paths and constants, without n8n,
 * which takes a millisecond. It returns undefined if only n8n can determine the value.
 */
export function plainReader(parameter: unknown): (json: unknown) => unknown {
	if (isExpression(parameter)) {
		// Blanks around the braces would be part of the value.
		const isAlone = /^=\{\{.*\}\}$/s.test(parameter);
		const { node, keys } = pathOf(parameter) ?? {};
		return (json) => {
			const value = keys && isAlone && node === undefined ? valueAt(json, keys) : undefined;
			return isUnchanged(value) ? value : undefined;
		};
	}
	if (typeof parameter !== 'object' || parameter === null) return () => parameter;
	const readers = Object.entries(parameter).map(([key, each]) => [key, plainReader(each)] as const);
	return (json) => {
		const values = readers.map(([key, read]) => [key, read(json)] as const);
		if (values.some(([, value]) => value === undefined)) return undefined;
		return Array.isArray(parameter) ? values.map(([, value]) => value) : Object.fromEntries(values);
	};
}

/**
 * The error about a path to an item or a column that isn't there, which to n8n is one without a value; undefined for
 * any other expression, in a place such as `'Name'`.
 */
export function missingColumn(
	place: string,
	entered: unknown,
	item: InputItem,
): UserFacingError | undefined {
	const path = pathOf(entered);
	if (path === undefined) return undefined;
	const { node, keys } = path;
	const source = item.json(node);
	// As after a Merge of several branches.
	if (node !== undefined && source === undefined) {
		return new UserFacingError(
			`The expression in ${place} uses $('${node}'), but this item doesn't come from that node`,
			'',
			{ builderAdvice: 'Use a field of this item.' },
		);
	}
	const isAbsent = (_key: string, at: number) =>
		valueAt(source, keys.slice(0, at + 1)) === undefined;
	const depth = keys.findIndex(isAbsent);
	if (depth < 0) return undefined;
	const row = asObject(valueAt(source, keys.slice(0, depth)));
	const used = String(keys[depth]);
	const bare = (key: string) => key.toLowerCase().replace(/[\s_-]/g, '');
	const isMeant = (key: string) => bare(key) === bare(used) && !isEmpty(row[key]);
	const actual = Object.keys(row).find(isMeant);
	if (actual === undefined) return undefined;
	return new UserFacingError(
		`The expression in ${place} uses '${used}', but the item has '${actual}'`,
		'',
		{ builderAdvice: 'Correct the name of the column in the expression.' },
	);
}

/** A call that turns a date into text, at the end of an expression or of a branch. */
const ENDS_AS_DATE = /\.to(?:ISO|SQL)(?:Date)?\((?=[^()]*\)\s*(?::|$))/g;
const EACH_FIELD =
	/\$json((?:\s*\??\.?\s*(?:[\p{L}\p{M}\p{N}_$]+|\[\s*(?:"[^"]+"|'[^']+'|\d+)\s*\]))+)/gu;

/** Why code fails, in the words of JavaScript; empty if it doesn't. */
function thrownBy(expression: string, { evaluate }: InputItem): string {
	const [, code] = /^=\s*\{\{((?:(?!\}\}).)*?);?\s*\}\}\s*$/s.exec(expression) ?? [];
	if (code === undefined) return '';
	// For a date that isn't valid, Luxon returns null, but its Date object throws.
	const strict = code.replace(ENDS_AS_DATE, '.toJSDate?.().toISOString(');
	const failing = `{{ (() => { try { void (${strict}\n); } catch (error) { return String(error); } })() }}`;
	const thrown = String(evaluate(failing));
	// n8n's own errors are about items that it doesn't find, which to it are missing values.
	const isOfCode = /^(?:[A-Z]\w*)?Error: /.test(thrown) && !thrown.startsWith('Expression');
	// Without n8n's own code around it.
	return isOfCode ? wordsOf(thrown.replace(/(\(intermediate value\)\.?)+/g, '')) : '';
}

/** Whether the fields of the item that code reads have values. The last keys may be functions that it calls. */
function fieldsWithValues(code: string, json: unknown): boolean[] {
	return [...code.matchAll(EACH_FIELD)].map(([, steps]) => {
		let value = json;
		for (const key of keysIn(String(steps))) if (isObject(value)) value = value[key];
		return !isEmpty(value);
	});
}

/** The error about code that returned nothing since it fails, although the item has the values that it reads. */
export function failedCode(
	place: string,
	entered: unknown,
	item: InputItem,
): UserFacingError | undefined {
	const expression = String(entered);
	const haveValues = fieldsWithValues(expression, item.json());
	if (!haveValues.includes(true)) return undefined;
	const thrown = thrownBy(expression, item);
	// Any of several fields may be the date, or the value that is missing.
	const lacksDate = thrown === 'Invalid time value' && haveValues.includes(false);
	if (thrown === '' || thrown.startsWith('Cannot read propert') || lacksDate) return undefined;
	return new UserFacingError(`The expression in ${place} can't be evaluated: ${thrown}`, '', {
		builderAdvice: 'Correct the expression, or the data that it uses.',
	});
}
