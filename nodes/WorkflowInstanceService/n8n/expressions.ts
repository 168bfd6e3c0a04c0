import { isExpression, isSafeObjectProperty } from 'n8n-workflow';

import { isObject } from '../values/json';
import { isPrintable } from '../values/text';

/** Whether a parameter is, or contains, an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (isExpression(parameter)) return true;
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

const BLANKS = '[ \\t\\r\\n]*';
/** Only keys that mean the same to all parsers through which n8n passes an expression. */
const NAME = '[A-Za-z_]\\w*';
const TEXT = '[^"\'`\\\\{}()\\p{Cc}\\p{Cs}\\u2028\\u2029]+';
const QUOTED = `"${TEXT}"|'${TEXT}'`;
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
export function keysIn(steps: string): string[] {
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

/** The own value at the keys of a path; undefined if there is none. */
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
	if (!isObject(parameter)) return () => (Array.isArray(parameter) ? undefined : parameter);
	const readers = Object.entries(parameter).map(([key, each]) => [key, plainReader(each)] as const);
	return (json) => {
		const values = readers.map(([key, read]) => [key, read(json)] as const);
		const isComplete = values.every(([, value]) => value !== undefined);
		return isComplete ? Object.fromEntries(values) : undefined;
	};
}
