import { failureOf, hasExpression, misspelledKey, pathsIn, valueOf } from '../../n8n/expressions';
import { isEmpty, isPrintable, trimmed } from '../../values/text';
import { entriesOf, listIn } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { failedItem } from '../failedItems';
import type { Change, FieldParameter, ParameterInput } from './updateField';

/** What models write to say that there is no value. */
const NO_VALUE = /^["']?(null|undefined|none|n\/a)?["']?$/i;

/** Whether a parameter has no value, or an empty one. An AI agent may say that in words. */
export function isEmptyInput(value: unknown, entered: unknown, isTool: boolean): boolean {
	const list = listIn(value);
	const entries = Array.isArray(list) ? list.map(listIn) : [list];
	if (entries.every(isEmpty)) return true;
	if (!isTool || !hasExpression(entered)) return false;
	return entriesOf(value).every((each) => NO_VALUE.test(trimmed(String(each))));
}

/** The error about an expression that returned nothing, in a place such as `'Deadline'`. */
export function emptyExpression(place: string, canClear = false): UserFacingError {
	const advice = `Its expression returned nothing for this item, or failed. Check the name of the column, or set 'Empty Values' under 'Options' to Keep${canClear ? ' or Clear' : ''}.`;
	return new UserFacingError(`${place} is empty`, advice);
}

/** Why an expression fails; empty if it doesn't, or if it only lacks a value. */
function ownFailure(entered: unknown, { item }: ParameterInput): string {
	const failure = failureOf(entered, item.evaluate);
	// Usually, a value is missing.
	if (failure.startsWith('Cannot read propert')) return '';
	const values = pathsIn(String(entered)).map((path) => valueOf(path, item));
	const lacksAll = values.length > 0 && values.every(isEmpty);
	// Any of the values may be the date, even one whose path isn't recognized.
	const mayLackDate = values.length === 0 || values.some(isEmpty);
	return (failure === 'Invalid time value' ? mayLackDate : lacksAll) ? '' : failure;
}

/** Whether an expression reads keys of texts, as in `$json.tags.map((tag) => tag.name)`. */
function readsKeysOfTexts(entered: unknown, { value, item }: ParameterInput): boolean {
	const code = String(entered);
	const readsKey = /=>\s*\w+\??\.\w/.test(code);
	if (!readsKey || !Array.isArray(value) || !value.includes(undefined)) return false;
	const lists = pathsIn(code).map((path) => valueOf(path, item));
	return lists.some(
		(list) => Array.isArray(list) && list.some((each) => isPrintable(each) && !isEmpty(each)),
	);
}

function assertNotMisspelled(place: string, code: string, { item, whenEmpty }: ParameterInput) {
	// With Keep, the column may come from another source that left out an empty cell.
	const misspelled = whenEmpty === 'keep' ? undefined : misspelledKey(code, item);
	if (misspelled === undefined) return;
	const { used, actual } = misspelled;
	throw new UserFacingError(
		`The expression in ${place} uses ${used}, but the item has '${actual}'`,
		'',
		{ builderAdvice: 'Correct the name of the column in the expression.' },
	);
}

/** Throws UserFacingError about an error item, or an expression that found nothing due to a mistake in it. */
export function assertNotFailed(place: string, entered: unknown, input: ParameterInput): void {
	if (input.isTool) return;
	const code = String(entered);
	// An expression that reads `error` handles items that failed.
	const readsItem = /\$json|\$input\.item/.test(code) && !/\berror\b/.test(code);
	const error = readsItem && input.whenEmpty !== 'keep' ? failedItem(input.item.json) : undefined;
	if (error) throw error;
	assertNotMisspelled(place, code, input);
	const failure = ownFailure(entered, input);
	const isOfTexts = readsKeysOfTexts(entered, input);
	if (failure === '' && !isOfTexts) return;
	const what = failure
		? `can't be evaluated: ${failure}`
		: 'reads a key of each entry, but the list contains text';
	throw new UserFacingError(`The expression in ${place} ${what}`, '', {
		builderAdvice: 'Correct the expression, or the data that it uses.',
	});
}

/** What an expression that returned nothing changes. Throws UserFacingError if that's rejected, or if it failed. */
export function changeOfEmpty(
	{ clear }: FieldParameter,
	entered: unknown,
	input: ParameterInput,
): Change | undefined {
	const { label, whenEmpty, emptyLabels } = input;
	const place = `'${label}'`;
	assertNotFailed(place, entered, input);
	if (whenEmpty === 'reject') throw emptyExpression(place, clear !== undefined);
	const change = whenEmpty === 'clear' ? clear : undefined;
	emptyLabels.push(`${place} (${change ? 'cleared' : 'kept'})`);
	return change;
}
