import type { INodeProperties } from 'n8n-workflow';

import { failedExpression } from '../n8n/expressionFailures';
import { hasExpression, misspelledKey, pathsIn, valueOf } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, instanceIdIn } from '../values/ids';
import { asObject } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { failedItem } from './failedItems';
import { type IdCheck, type Inputs, instanceIdsIn, isInstanceColumn, rowIdCheck } from './rowIds';

/** An expression for the ID that another expression, without a value, may be about. */
function expressionForId(expression: string, item: InputItem): string | undefined {
	const json = asObject(item.json);
	// In the trigger's items, it's inside `instance`.
	if (asObject(json.instance).id !== undefined) return '$json.instance.id';
	const textOf = (root: string, keys: readonly string[]) =>
		`${root}${keys.map((key) => `[${JSON.stringify(key)}]`).join('')}`;
	const isId = (name: string) => isInstanceColumn(name) && instanceIdIn(json[name]) !== undefined;
	const column = Object.keys(json).find(isId);
	if (column !== undefined) return textOf('$json', [column]);
	const { path } = misspelledKey(expression, item) ?? {};
	const isMeant = path && instanceIdIn(valueOf(path, item)) !== undefined;
	return isMeant ? textOf(path.root, path.keys) : undefined;
}

/**
 * The error about a parameter without an ID. After an expression, it says where else the item has one.
 * @param onEntered what to enter instead of an expression
 * @param onExpression what else the user of an expression may do
 */
export function emptyId(
	form: INodeProperties,
	{ entered, item }: Pick<ItemParameters, 'entered' | 'item'>,
	isTool: boolean,
	onEntered: string,
	onExpression = '',
): UserFacingError {
	const message = `'${form.displayName}' is empty`;
	const own = chosenIn(entered(form));
	if (isTool || !hasExpression(own)) return new UserFacingError(message, onEntered);
	const error = failedItem(item.json) ?? failedExpression(`'${form.displayName}'`, own, item);
	if (error) return error;
	const other = expressionForId(String(own), item);
	const example = other ? ` Use e.g. {{ ${other} }}.` : '';
	const builderAdvice = `Its expression returned nothing, or failed. Check the name of the column.${example}${onExpression}`;
	return new UserFacingError(message, '', { builderAdvice });
}

/** A path alone, as n8n inserts it when a column is dragged into a field. */
const PART = '\\{\\{ *\\$(?:json|\\([^(){}]*\\)\\.item\\.json)[^(){}?:,;+]*\\}\\}';
/** Expressions without a separator between them, or between one and a digit. */
const JOINED = new RegExp(`^=(?:${PART}|[^{}])*(?:(?:${PART}|\\d) *${PART}|${PART} *\\d)`);

/** Throws UserFacingError about values that would make up one ID, as when a column is dragged into a filled field. */
export function assertNotJoined(
	form: INodeProperties,
	{ entered, get }: Pick<ItemParameters, 'entered' | 'get'>,
) {
	const isJoined = JOINED.test(String(chosenIn(entered(form))));
	// A URL may be made up of several values.
	if (!isJoined || /^\s*https?:/i.test(String(chosenIn(get(form))))) return;
	const orSeparate = form.type === 'string' ? ', or separate several by commas' : '';
	throw new UserFacingError(`'${form.displayName}' joins several values into one ID`, '', {
		builderAdvice: `Keep only one expression in the field${orSeparate}.`,
	});
}

/** Checks that an expression didn't take another number out of an instance's URL, such as one in its host name. */
function urlCheck({ displayName }: INodeProperties, expression: string): IdCheck {
	const [path, ...others] = pathsIn(expression);
	if (path === undefined || others.length > 0) return () => undefined;
	return (ids, item) => {
		const urls = valueOf(path, item);
		if (typeof urls !== 'string' || !/^\s*https?:/i.test(urls)) return;
		const linked = instanceIdsIn(urls);
		if (linked.size === 0) return;
		const digits = urls.replace(/\D/g, '');
		const other = ids.find((id) => !linked.has(id) && digits.includes(String(id)));
		if (other === undefined) return;
		throw new UserFacingError(
			`The expression in '${displayName}' returned ${other}, but the URL that it uses is of instance ${[...linked].join(', ')}`,
			'',
			{ builderAdvice: 'Use the whole URL, not a part of it.' },
		);
	};
}

/** Returns a check of the IDs that the expression in a parameter returns. */
export function idCheck(form: INodeProperties, inputs: Inputs): IdCheck {
	const expression = String(chosenIn(inputs.items[0].entered(form)));
	const checks = [urlCheck(form, expression), rowIdCheck(form, expression, inputs)];
	return (...args) => {
		for (const check of checks) check(...args);
	};
}
