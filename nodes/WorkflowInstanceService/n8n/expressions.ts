import { isExpression, isSafeObjectProperty } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import { isEmpty, isPrintable } from '../values/text';
import type { InputItem } from './inputItem';

/** Whether a parameter is, or contains, an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (isExpression(parameter)) return true;
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

const QUOTED = ['"', "'", '`'].map((mark) => `${mark}(?:[^${mark}\\\\]|\\\\.)*${mark}`).join('|');
/** The input item, or that of another node. */
const ROOT = [
	'\\$json',
	`\\$node\\s*\\[\\s*(?:${QUOTED})\\s*\\]\\s*\\.\\s*json`,
	`\\$(?:input|\\(\\s*(?:${QUOTED})\\s*\\))\\s*\\.\\s*(?:item|first\\(\\)|last\\(\\))\\s*\\??\\.\\s*json`,
].join('|');
/** The root of the input item. */
export const INPUT_ITEM = /^\$(?:json|input\.item\.json)$/;
/** Several items of another node, or one of them by its place; the number is that of an output. */
const LISTS = new RegExp(
	`\\$\\(\\s*(${QUOTED})\\s*\\)\\s*\\.\\s*(?:(?:all|first|last)\\(\\s*(\\d*)|itemMatching\\()|\\$items\\(\\s*(${QUOTED})`,
	'g',
);
const NAME_PART = '[\\p{L}\\p{M}\\p{N}_$]';
const KEY = `${NAME_PART}+(?!${NAME_PART}|\\s*\\()`;
const INDEX = `\\[\\s*(?:${QUOTED}|\\d+)\\s*\\]`;
const KEYS = `(?:\\s*\\??\\.\\s*${KEY}|\\s*(?:\\?\\.)?${INDEX})+`;
const ITEM_PATH = `(?:${ROOT})${KEYS}`;
const PATHS = new RegExp(`(${ROOT})(${KEYS})`, 'gu');
const ONE_PATH = new RegExp(`^=\\s*\\{\\{\\s*${ITEM_PATH}\\s*\\}\\}\\s*$`, 'u');
const EACH_KEY = new RegExp(`${QUOTED}|${NAME_PART}+`, 'gu');
const NOW = '(?:\\$now|\\$today|DateTime\\.now\\(\\))';
const AMOUNT = `(?:Number\\(\\s*|\\+\\s*)?(${ITEM_PATH})(?:\\s*\\))?(?:\\s*\\*\\s*\\d+)?`;
/** `={{ $now.plus({ days: $json.days })` or `={{ DateTime.fromISO($json.start).plus($json.days, 'days')`. */
const ADDITION = new RegExp(
	`^=\\s*\\{\\{(?:.*\\.plus|\\s*${NOW}\\.minus)\\(\\s*(?:\\{\\s*\\w+:\\s*${AMOUNT}\\s*\\}|${AMOUNT}\\s*[,)])`,
	'su',
);
const EACH_ADDITION = /\.(?:plus|minus)\(/g;
/** What an expression may use instead of a value that is missing. */
const ALTERNATIVE = /\?(?!\.)|\|\||&&|\bif\b|\bifEmpty\b|\breturn\b|\/[*/]/;
/** The whole of an expression, if its values are all in paths. */
const READS_PATHS_ONLY =
	/^=\s*\{\{(?!.*(?:\{\{|\.(?:all|itemMatching)\(|\$(?:execution|items|now|today|vars|workflow)\b)).*\}\}\s*$/s;

/** A value that an expression reads: the item that contains it, e.g. `$('Rows').item.json`, and its keys. */
export interface Path {
	readonly root: string;
	readonly keys: readonly string[];
}

function keysIn(text: string): string[] {
	const unquoted = (key: string) =>
		key.replace(/^["'`](.*)["'`]$/s, '$1').replace(/\\(["'`\\])/g, '$1');
	return [...text.matchAll(EACH_KEY)].map(([key]) => unquoted(key));
}

/** The values of items that an expression reads, such as `$json.a.b`, without the functions that it calls on them. */
export function pathsIn(expression: string): Path[] {
	return [...expression.matchAll(PATHS)].map(([, root, keys]) => ({
		root: String(root),
		keys: keysIn(String(keys)),
	}));
}

/** The outputs of other nodes from which an expression may take any item, as roots, e.g. `$('Rows').all()`. */
export function listsIn(expression: string): string[] {
	const roots = [...expression.matchAll(LISTS)].map(
		([, node, output = '', ofItems]) => `$(${node ?? ofItems}).all(${output})`,
	);
	return [...new Set(roots)];
}

/** The value at a path; undefined if the item lacks it. */
export function valueOf({ root, keys }: Path, { jsonAt }: Pick<InputItem, 'jsonAt'>): unknown {
	return valueAt(jsonAt(root), keys);
}

/** The values at all paths of an expression. */
export function valuesIn(expression: string, item: InputItem): unknown[] {
	return pathsIn(expression).map((path) => valueOf(path, item));
}

/** Whether an expression is exactly one path. */
export function isPath(expression: string): boolean {
	return ONE_PATH.test(expression);
}

/** The path to the only amount that an expression adds to a date; undefined for other expressions. */
export function amountIn(expression: string): Path | undefined {
	const additions = expression.match(EACH_ADDITION) ?? [];
	if (additions.length !== 1 || ALTERNATIVE.test(expression)) return undefined;
	const [, inObject, alone = ''] = ADDITION.exec(expression) ?? [];
	return pathsIn(inObject ?? alone)[0];
}

/** Whether an expression uses only values of items, without alternatives, and all of them are empty. */
export function usesOnlyEmpty(expression: string, item: InputItem): boolean {
	if (!READS_PATHS_ONLY.test(expression) || ALTERNATIVE.test(expression)) return false;
	const values = valuesIn(expression, item);
	return values.length > 0 && values.every(isEmpty);
}

const BLANKS = '[ \\t\\r\\n]*';
/** Only keys that mean the same to all parsers through which n8n passes an expression. */
const NAME = '[A-Za-z_]\\w*';
const TEXT = '[^"\'`\\\\{}()\\p{Cc}\\p{Cs}\\u2028\\u2029]+';
const STEP = `${BLANKS}(?:\\.${BLANKS}${NAME}|\\[${BLANKS}(?:"${TEXT}"|'${TEXT}')${BLANKS}\\])`;
const PATH = new RegExp(`^=\\{\\{${BLANKS}\\$json((?:${STEP})+)${BLANKS}\\}\\}$`, 'u');
/** What n8n rejects or replaces anywhere in an expression. */
const TOUCHED_BY_N8N = /constructor|globalThis/;

/** The keys of an expression that is exactly a path into the item, e.g. `={{ $json.order["id"] }}`. */
function keysOf(expression: string): string[] | undefined {
	const steps = PATH.exec(expression)?.[1];
	if (steps === undefined || TOUCHED_BY_N8N.test(steps)) return undefined;
	const keys = keysIn(steps);
	// n8n may find other keys outside the item, or refuse to read them.
	const isPlain = (key: string) => !(key in Object.prototype) && isSafeObjectProperty(key);
	return keys.every(isPlain) ? keys : undefined;
}

function valueAt(source: unknown, [key, ...rest]: readonly string[]): unknown {
	if (key === undefined) return source;
	if (source === undefined || source === null || source instanceof Date) return undefined;
	return valueAt(Object.getOwnPropertyDescriptor(source, key)?.value, rest);
}

/**
 * A key that an expression reads, although the item only has one that is spelled almost like it, with its path.
 * n8n takes it for one without a value.
 */
export function misspelledKey(expression: string, item: InputItem) {
	const bare = (key: string) => key.toLowerCase().replace(/[\s_-]/g, '');
	const paths = pathsIn(expression);
	for (const { root, keys } of paths) {
		for (const [depth, used] of keys.entries()) {
			const owner = asObject(valueOf({ root, keys: keys.slice(0, depth) }, item));
			if (Object.hasOwn(owner, used)) continue;
			const isUsed = (key: string) => paths.some((path) => path.keys[depth] === key);
			const isMeant = (key: string) =>
				bare(key) === bare(used) && !isUsed(key) && !isEmpty(owner[key]);
			const actual = Object.keys(owner).find(isMeant);
			if (actual === undefined) continue;
			return { used, actual, path: { root, keys: [...keys.slice(0, depth), actual] } };
		}
	}
	return undefined;
}

/** Whether n8n passes on a value unchanged. */
function isUnchanged(value: unknown): boolean {
	const values = Array.isArray(value) ? Array.from<unknown>(value) : [value];
	return values.every((each) => each === null || isPrintable(each));
}

/**
 * Returns a function that reads a plain path into an item, or a structure of such paths and constants, without n8n,
 * which takes a millisecond. It returns undefined if only n8n can determine the value.
 */
export function plainReader(parameter: unknown): (json: unknown) => unknown {
	if (isExpression(parameter)) {
		const keys = keysOf(parameter);
		return (json) => {
			const value = keys && valueAt(json, keys);
			return isUnchanged(value) ? value : undefined;
		};
	}
	if (!isObject(parameter)) return () => (Array.isArray(parameter) ? undefined : parameter);
	const readers = Object.entries(parameter).map(([key, each]) => [key, plainReader(each)] as const);
	return (json) => {
		const values = readers.map(([key, read]) => [key, read(json)] as const);
		const isComplete = values.every(([, value]) => value !== undefined);
		return isComplete ? Object.fromEntries(values) : undefined;
	};
}
