import { isEmpty } from '../values/text';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { isPath, valuesIn } from './expressions';
import type { InputItem } from './inputItem';

/** What an expression contains if it reads something that may be missing. */
const READS_DATA =
	/\$(?:binary|env|execution|json|node|parameter|prevNode|secrets|vars|workflow)\b|\$items?\(|\.(?:context|item|params)\b|\.(?:all|first|last|itemMatching|pairedItem)\(/;

/** A call that turns a date into text, at the end of an expression or of a branch. */
const ENDS_AS_DATE = /\.to(?:ISO|SQL)(?:Date)?\((?=[^()]*\)\s*(?::|$))/g;

/** Why an expression fails, in the words of JavaScript; empty if it doesn't. */
function failureOf(expression: string, { evaluate }: InputItem): string {
	const [, code] = /^=\s*\{\{((?:(?!\}\}).)*?);?\s*\}\}\s*$/s.exec(expression) ?? [];
	// A path only fails if a value is missing, and thousands of cells may be empty.
	if (code === undefined || isPath(expression)) return '';
	// For a date that isn't valid, Luxon returns null, but its Date object throws.
	const strict = code.replace(ENDS_AS_DATE, '.toJSDate().toISOString(');
	const failing = `{{ (() => { try { void (${strict}\n); } catch (error) { return String(error); } })() }}`;
	const failure = String(evaluate(failing));
	// n8n's own errors are about items that it doesn't find, which to it are missing values.
	const isOfCode = /^(?:[A-Z]\w*)?Error: /.test(failure) && !failure.startsWith('Expression');
	// Without n8n's own code around it.
	return isOfCode ? wordsOf(failure.replace(/(\(intermediate value\)\.?)+/g, '')) : '';
}

/**
 * The error about an expression that fails in a place such as `'Name'`; undefined if it doesn't, or only lacks a value.
 * n8n itself takes an expression that fails for one without a value.
 */
export function failedExpression(
	place: string,
	entered: unknown,
	item: InputItem,
): UserFacingError | undefined {
	const expression = String(entered);
	const failure = failureOf(expression, item);
	// Usually, a value is missing.
	const isOfMissing = failure.startsWith('Cannot read propert') && READS_DATA.test(expression);
	if (failure === '' || isOfMissing) return undefined;
	const values = valuesIn(expression, item);
	const lacksAll = values.length > 0 && values.every(isEmpty);
	// Any of the values may be the date, even one whose path isn't recognized.
	const mayLackDate = values.length === 0 || values.some(isEmpty);
	if (failure === 'Invalid time value' ? mayLackDate : lacksAll) return undefined;
	return new UserFacingError(`The expression in ${place} can't be evaluated: ${failure}`, '', {
		builderAdvice: 'Correct the expression, or the data that it uses.',
	});
}
