import { asObject } from '../values/json';
import { isEmpty } from '../values/text';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { type Path, pathOf, valueAt } from './expressions';
import type { InputItem } from './inputItem';

/** The error about an item or a column that isn't there, which to n8n is one without a value. */
function missingColumn(
	place: string,
	{ node, keys }: Path,
	{ jsonOf }: InputItem,
): UserFacingError | undefined {
	const source = jsonOf(node);
	// As after a Merge of several branches.
	if (node !== undefined && source === undefined) {
		return new UserFacingError(
			`The expression in ${place} uses $('${node}'), but this item doesn't come from that node`,
			'',
			{ builderAdvice: 'Use a field of this item.' },
		);
	}
	const bare = (key: string) => key.toLowerCase().replace(/[\s_-]/g, '');
	const row = asObject(valueAt(source, keys.slice(0, -1)));
	const used = String(keys.at(-1));
	const isMeant = (key: string) => bare(key) === bare(used) && !isEmpty(row[key]);
	const actual = Object.hasOwn(row, used) ? undefined : Object.keys(row).find(isMeant);
	if (actual === undefined) return undefined;
	return new UserFacingError(
		`The expression in ${place} uses '${used}', but the item has '${actual}'`,
		'',
		{ builderAdvice: 'Correct the name of the column in the expression.' },
	);
}

/** A call that turns a date into text, at the end of an expression or of a branch. */
const ENDS_AS_DATE = /\.to(?:ISO|SQL)(?:Date)?\((?=[^()]*\)\s*(?::|$))/g;
const EACH_FIELD = /\$json\s*(?:\??\.\s*([\p{L}\p{M}\p{N}_$]+)|\[\s*["'](.+?)["'])/gu;

/** Why code fails, in the words of JavaScript; empty if it doesn't. */
function failureOf(expression: string, { evaluate }: InputItem): string {
	const [, code] = /^=\s*\{\{((?:(?!\}\}).)*?);?\s*\}\}\s*$/s.exec(expression) ?? [];
	if (code === undefined) return '';
	// For a date that isn't valid, Luxon returns null, but its Date object throws.
	const strict = code.replace(ENDS_AS_DATE, '.toJSDate().toISOString(');
	const failing = `{{ (() => { try { void (${strict}\n); } catch (error) { return String(error); } })() }}`;
	const failure = String(evaluate(failing));
	// n8n's own errors are about items that it doesn't find, which to it are missing values.
	const isOfCode = /^(?:[A-Z]\w*)?Error: /.test(failure) && !failure.startsWith('Expression');
	// Without n8n's own code around it.
	return isOfCode ? wordsOf(failure.replace(/(\(intermediate value\)\.?)+/g, '')) : '';
}

function failedCode(
	place: string,
	expression: string,
	item: InputItem,
): UserFacingError | undefined {
	const failure = failureOf(expression, item);
	if (failure === '' || failure.startsWith('Cannot read propert')) return undefined;
	const fields = [...expression.matchAll(EACH_FIELD)].map(([, name, quoted]) => name ?? quoted);
	const isMissing = (field?: string) => isEmpty(asObject(item.json)[String(field)]);
	const isOnDate = failure === 'Invalid time value';
	// Any of several fields may be the date.
	const lacksValue = isOnDate ? fields.some(isMissing) : fields.every(isMissing);
	if (fields.length > 0 && lacksValue) return undefined;
	return new UserFacingError(`The expression in ${place} can't be evaluated: ${failure}`, '', {
		builderAdvice: 'Correct the expression, or the data that it uses.',
	});
}

/**
 * The error about a mistake in an expression that returned nothing, in a place such as `'Name'`; undefined if it only
 * lacks a value. n8n itself takes an expression that fails for one without a value.
 */
export function mistakeIn(
	place: string,
	entered: unknown,
	item: InputItem,
): UserFacingError | undefined {
	const path = pathOf(entered);
	return path ? missingColumn(place, path, item) : failedCode(place, String(entered), item);
}
