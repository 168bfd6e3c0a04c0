import { failedExpression } from '../../n8n/expressionFailures';
import {
	hasExpression,
	isPath,
	misspelledKey,
	pathsIn,
	valueOf,
	valuesIn,
} from '../../n8n/expressions';
import type { InputItem } from '../../n8n/inputItem';
import { isEmpty, isPrintable, trimmed } from '../../values/text';
import { entriesOf, listIn } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { failedItemAt, readsError } from '../failedItems';
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

/** The error about an expression that returned nothing, in a place such as `'Deadline'`. */
export function emptyExpression(place: string, canClear = false): UserFacingError {
	const advice = `Its expression returned nothing for this item, or failed. Check the name of the column, or set 'Empty Values' under 'Options' to Keep${canClear ? ' or Clear' : ''}.`;
	return new UserFacingError(`${place} is empty`, advice);
}

/** Whether an expression reads keys of texts, as in `$json.tags.map((tag) => tag.name)`. */
function readsKeysOfTexts(entered: unknown, { value, item }: ParameterInput): boolean {
	const code = String(entered);
	const readsKey = /=>\s*\w+\??\.\w/.test(code);
	if (!readsKey || !Array.isArray(value) || !value.includes(undefined)) return false;
	const lists = valuesIn(code, item);
	return lists.some(
		(list) => Array.isArray(list) && list.some((each) => isPrintable(each) && !isEmpty(each)),
	);
}

/** What an expression reads, e.g. `$json`, unless it reads `error`: then it handles items that failed. */
function itemsIn(code: string): string[] {
	if (readsError(code)) return [];
	const own = /\$json|\$input\.item/.test(code) ? ['$json'] : [];
	return [...new Set([...own, ...pathsIn(code).map(({ root }) => root)])];
}

/** Throws UserFacingError about a column that the item has in another spelling, or about an item that isn't there. */
function assertFound(place: string, code: string, item: InputItem): void {
	for (const root of itemsIn(code)) {
		const error = failedItemAt(root, item);
		if (error) throw error;
		// As after a Merge of several branches. Other expressions may not read it for this item.
		const isFirst = code.replace(/^=\s*\{\{[\s(]*/, '').startsWith(root);
		const isRead = isFirst && /\)\s*\.\s*item\b/.test(root);
		if (!isRead || item.jsonAt(root) !== undefined) continue;
		throw new UserFacingError(
			`The expression in ${place} uses ${root}, but this item doesn't come from that node`,
			'',
			{ builderAdvice: "Use a field of this item, or set 'Empty Values' under 'Options' to Keep." },
		);
	}
	const misspelled = misspelledKey(code, item);
	if (misspelled === undefined) return;
	const { used, actual } = misspelled;
	throw new UserFacingError(
		`The expression in ${place} uses '${used}', but the item has '${actual}'`,
		'',
		{ builderAdvice: 'Correct the name of the column in the expression.' },
	);
}

/** Throws UserFacingError about an expression that found nothing due to a mistake in it, or an earlier failure. */
export function assertNotFailed(place: string, entered: unknown, input: ParameterInput): void {
	const { isTool, item, whenEmpty } = input;
	if (isTool) return;
	// With Keep, the column may come from another source that left out an empty cell.
	if (whenEmpty !== 'keep') assertFound(place, String(entered), item);
	const error = failedExpression(place, entered, item);
	if (error) throw error;
	if (!readsKeysOfTexts(entered, input)) return;
	throw new UserFacingError(
		`The expression in ${place} reads a key of each entry, but the list contains text`,
		'',
		{ builderAdvice: 'Correct the expression, or the data that it uses.' },
	);
}

/** Throws UserFacingError about a value instead of one that an item which failed doesn't have, as of `?? 'regular'`. */
export function assertNotOfFailed(
	value: unknown,
	entered: unknown,
	{ isTool, item }: Pick<ParameterInput, 'isTool' | 'item'>,
): void {
	const code = String(entered);
	if (isTool || isPath(code)) return;
	if (readsError(code)) return;
	for (const path of pathsIn(code)) {
		const read = valueOf(path, item);
		// Then the others aren't read.
		if (!isEmpty(read) && read === value) return;
		const error = isEmpty(read) ? failedItemAt(path.root, item) : undefined;
		if (error) throw error;
	}
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
