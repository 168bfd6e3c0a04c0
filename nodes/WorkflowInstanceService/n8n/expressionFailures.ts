import { asObject, isObject } from '../values/json';
import { isEmpty } from '../values/text';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { keysIn, pathOf, valueAt } from './expressions';
import type { InputItem } from './inputItem';

/**
 * The error about a path to an item or a column that isn't there, which to n8n is one without a value; undefined for
 * any other expression, in a place such as `'Name'`.
 */
export function missingColumn(
	place: string,
	entered: unknown,
	{ jsonOf }: InputItem,
): UserFacingError | undefined {
	const { node, keys = [] } = pathOf(entered) ?? {};
	const source = jsonOf(node);
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
	const row = asObject(valueAt(source, keys.slice(0, depth)));
	const used = String(keys[depth]);
	const bare = (key: string) => key.toLowerCase().replace(/[\s_-]/g, '');
	const actual = Object.keys(row).find(
		(key) => depth >= 0 && bare(key) === bare(used) && !isEmpty(row[key]),
	);
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
function failureOf(expression: string, { evaluate }: InputItem): string {
	const [, code] = /^=\s*\{\{((?:(?!\}\}).)*?);?\s*\}\}\s*$/s.exec(expression) ?? [];
	if (code === undefined) return '';
	// For a date that isn't valid, Luxon returns null, but its Date object throws.
	const strict = code.replace(ENDS_AS_DATE, '.toJSDate?.().toISOString(');
	const failing = `{{ (() => { try { void (${strict}\n); } catch (error) { return String(error); } })() }}`;
	const failure = String(evaluate(failing));
	// n8n's own errors are about items that it doesn't find, which to it are missing values.
	const isOfCode = /^(?:[A-Z]\w*)?Error: /.test(failure) && !failure.startsWith('Expression');
	// Without n8n's own code around it.
	return isOfCode ? wordsOf(failure.replace(/(\(intermediate value\)\.?)+/g, '')) : '';
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
	const haveValues = fieldsWithValues(expression, item.json);
	if (!haveValues.includes(true)) return undefined;
	const failure = failureOf(expression, item);
	// Any of several fields may be the date, or the value that is missing.
	const lacksDate = failure === 'Invalid time value' && haveValues.includes(false);
	if (failure === '' || failure.startsWith('Cannot read propert') || lacksDate) return undefined;
	return new UserFacingError(`The expression in ${place} can't be evaluated: ${failure}`, '', {
		builderAdvice: 'Correct the expression, or the data that it uses.',
	});
}
