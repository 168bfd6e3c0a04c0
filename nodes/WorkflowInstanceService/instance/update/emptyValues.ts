import { failedCode, hasExpression, missingColumn, pathOf } from '../../n8n/expressions';
import { isEmpty, trimmed } from '../../values/text';
import { entriesOf, listIn } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { failedItem } from '../failedItems';
import type { Change, FieldParameter, ParameterInput } from './updateField';

/** What models write to say that there is no value. */
const NO_VALUE = /^["']?(null|undefined|none|n\/a)?\.?["']?$/i;

/** Whether a parameter has no value, or an empty one. An AI agent may say that in words. */
export function isEmptyInput(value: unknown, entered: unknown, isTool: boolean): boolean {
	const list = listIn(value);
	const entries = Array.isArray(list) ? list.map(listIn) : [list];
	if (entries.every(isEmpty)) return true;
	if (!isTool || !hasExpression(entered)) return false;
	return entriesOf(value).every((each) => NO_VALUE.test(trimmed(String(each))));
}

/**
 * Throws UserFacingError about an expression that returned nothing, in a place such as `'Deadline'`, unless that is meant
 * to keep or clear a field.
 */
export function assertMeantEmpty(
	place: string,
	entered: unknown,
	{ item, whenEmpty }: Pick<ParameterInput, 'item' | 'whenEmpty'>,
	canClear: boolean,
): void {
	if (whenEmpty === 'keep') return;
	const { node } = pathOf(entered) ?? {};
	const mistake = failedItem(item.json(node), node) ?? missingColumn(place, entered, item);
	if (whenEmpty === 'reject') {
		const advice = `Its expression returned nothing for this item, or failed. Check the name of the column, or set 'Empty Values' under 'Options' to Keep${canClear ? ' or Clear' : ''}.`;
		throw new UserFacingError(mistake?.message ?? `${place} is empty`, advice);
	}
	const error = mistake ?? failedCode(place, entered, item);
	if (error) throw error;
}

/** What an expression that returned nothing changes. Throws UserFacingError if that's rejected, or if it failed. */
export function changeOfEmpty(
	{ clear }: FieldParameter,
	entered: unknown,
	input: ParameterInput,
): Change | undefined {
	const { label, whenEmpty, emptyLabels } = input;
	const place = `'${label}'`;
	assertMeantEmpty(place, entered, input, clear !== undefined);
	const change = whenEmpty === 'clear' ? clear : undefined;
	emptyLabels.push(`${place} (${change ? 'cleared' : 'kept'})`);
	return change;
}
