import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { failureOf, hasExpression, misspelledKey, pathsIn, valueOf } from '../../n8n/expressions';
import type { NodeExecution } from '../../n8n/operation';
import type { ItemParameters } from '../../n8n/parameters';
import { isEmpty, isPrintable, trimmed } from '../../values/text';
import { entriesOf, listIn } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { failedItem } from '../failedItems';

export const UPDATE_FIELDS_LABEL = 'Fields to Update';

/** What the user entered for a parameter under 'Fields to Update'. */
export interface ParameterInput
	extends Pick<NodeExecution, 'baseUrl' | 'isTool'>,
		Pick<ItemParameters, 'evaluate' | 'json' | 'timezone'> {
	label: string;
	value: unknown;
	/** The value with its expressions unevaluated. */
	entered: unknown;
	/** What to do if an expression returned nothing. */
	whenEmpty: 'reject' | 'keep' | 'clear';
	/** Collects the labels of those parameters, with what was done, e.g. `'Name' (kept)`. */
	emptyLabels: string[];
}

/** What happens to a field: a new value (undefined leaves its key out), or an edit of the instance's current list. */
export type Change =
	| { value: GenericValue }
	| { edit(current: GenericValue[], instance: IDataObject): GenericValue[] };

/** A parameter under 'Fields to Update': its form, and what its value means. */
export interface FieldParameter {
	form: INodeProperties;
	/** What clears the field; absent if an empty value can't clear it. */
	clear?: { value: null | [] };
	/** Returns undefined if the value is empty. Throws UserFacingError about invalid values. */
	parse(input: ParameterInput): Change | undefined;
}

/** A field that clients can set (docs/dev/service-interface.md#update), and the parameter that replaces its value. */
export interface UpdateField extends FieldParameter {
	key: string;
	label: string;
	/** The parameters that change its current list. */
	edits?: readonly FieldParameter[];
	/** A returned value, ready to be sent back; undefined if it can't be. Default: text as it is. */
	toSendable?(value: unknown): GenericValue;
	/** Equal for values that mean the same. Default: the value itself. */
	compareAs?(value: GenericValue): GenericValue;
}

/** A text, ready to be sent back; undefined for anything else. */
export function sendableText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** A list, ready to be sent back; undefined if one of its entries can't be. */
export function sendableList<T>(value: unknown, toSendable: (entry: unknown) => T | undefined) {
	const entries = Array.isArray(value) ? value.map(toSendable) : [undefined];
	return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

const IN_BRACES = /\{\{.*\}\}/s;
const REFERENCE = /\$(?:json|node|input)\b|\$\(\\?['"]/;

/** Throws UserFacingError about text that is meant as an expression, but isn't one. */
export function assertNoTemplate({ label, value, entered }: ParameterInput): void {
	// What a model fills in isn't evaluated again.
	const isOfModel = /\$fromAI/i.test(String(JSON.stringify(entered)));
	const text = isOfModel ? JSON.stringify(value) : String(entered);
	// Without braces, n8n treats a value as plain text, even after the = that marks an expression.
	const isPlain = isOfModel || !hasExpression(entered);
	const isMeant = IN_BRACES.test(text) ? isPlain : REFERENCE.test(text);
	if (!isMeant) return;
	throw new UserFacingError(
		`'${label}' looks like an expression, but would be saved as plain text`,
		'Enter the value itself, without {{ }} and $json.',
		{
			builderAdvice:
				"For an expression, switch the field to Expression, and put {{ }} around it, e.g. {{ $json.name }}. In a workflow's JSON, an expression also starts with =. If this text is what you want, have an expression return it, e.g. {{ 'About $json' }}.",
		},
	);
}

/** What JavaScript adds to text instead of a value. */
const NO_TEXT = { undefined: /undefined/, null: /null(?![a-z])/, NaN: /\bNaN\b/ };

/** Throws UserFacingError about text with the `undefined`, `null` or `NaN` of an expression that found no value. */
export function assertNoUndefined(input: ParameterInput): void {
	const { label, value, entered, json } = input;
	const text = [value]
		.flat()
		.filter((each) => typeof each === 'string')
		.join();
	const [word, pattern] = Object.entries(NO_TEXT).find((entry) => entry[1].test(text)) ?? [];
	if (pattern === undefined) return;
	const code = [...String(entered).matchAll(/\{\{.*?\}\}/gs)].join();
	const isJoined = /\+|\$\{/.test(code);
	const values = pathsIn(code).map((path) => valueOf(path, input));
	// If the expression or what it reads contains the word, it's text like any other. JSON's own null isn't.
	const sources = JSON.stringify([code, json, values], (_key, each: unknown) => each ?? '');
	if (!isJoined || pattern.test(sources)) return;
	// A text that isn't found this way may contain null, too, so one of the values has to be null.
	if (word === 'null' && !values.includes(null)) return;
	throw new UserFacingError(
		`'${label}' contains ${word}, since its expression found no value`,
		'',
		{
			builderAdvice:
				"Check the names of the columns in the expression. If a column may be empty, add a fallback, e.g. {{ 'Invoice ' + ($json.number ?? '') }}.",
		},
	);
}

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
function ownFailure(entered: unknown, input: ParameterInput): string {
	const failure = failureOf(entered, input.evaluate);
	// Usually, a value is missing.
	if (failure.startsWith('Cannot read propert')) return '';
	const values = pathsIn(String(entered)).map((path) => valueOf(path, input));
	const lacksAll = values.length > 0 && values.every(isEmpty);
	// Any of the values may be the date.
	const lacksDate = failure === 'Invalid time value' && values.some(isEmpty);
	return lacksAll || lacksDate ? '' : failure;
}

/** Whether an expression reads keys of texts, as in `$json.tags.map((tag) => tag.name)`. */
function readsKeysOfTexts(entered: unknown, input: ParameterInput): boolean {
	const { value } = input;
	if (!Array.isArray(value) || !value.includes(undefined)) return false;
	const lists = pathsIn(String(entered)).map((path) => valueOf(path, input));
	return lists.some((list) => Array.isArray(list) && list.some(isPrintable));
}

/** Throws UserFacingError about an error item, or an expression that found nothing due to a mistake in it. */
export function assertNotFailed(place: string, entered: unknown, input: ParameterInput): void {
	const code = String(entered);
	// An expression that reads `error` handles items that failed.
	const readsItem = /\$json|\$input\.item/.test(code) && !/\berror\b/.test(code);
	const error = readsItem && input.whenEmpty !== 'keep' ? failedItem(input.json) : undefined;
	if (error) throw error;
	const { used, actual } = misspelledKey(code, input.json) ?? {};
	if (actual !== undefined) {
		throw new UserFacingError(
			`The expression in ${place} uses ${used}, but the item has '${actual}'`,
			'',
			{ builderAdvice: 'Correct the name of the column in the expression.' },
		);
	}
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
