import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { failedExpression } from '../../n8n/expressionFailures';
import { hasExpression, valuesIn } from '../../n8n/expressions';
import type { NodeExecution } from '../../n8n/operation';
import type { ItemParameters } from '../../n8n/parameters';
import { UserFacingError } from '../../values/userFacingError';

/** What the user entered for a parameter under 'Fields to Update'. */
export interface ParameterInput
	extends Pick<NodeExecution, 'baseUrl' | 'isTool'>,
		Pick<ItemParameters, 'item' | 'timezone'> {
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
	/** What clears the field, an empty list if it has one; absent if an empty value can't clear it. */
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
	/** A returned value, or an entry of a list, ready to be sent back; undefined if it can't be. Default: text as it is. */
	toSendable?(value: unknown): GenericValue;
	/** Equal for values that mean the same. Default: the value itself. */
	compareAs?(value: GenericValue): GenericValue;
}

const IN_BRACES = /\{\{.*\}\}/s;
const REFERENCE = /\$(?:json|node|input)\b|\$\(\\?['"]/;

/** Throws UserFacingError about text that is meant as an expression, but isn't one. */
export function assertNoTemplate({ label, value, entered, isTool }: ParameterInput): void {
	// What a model fills in isn't evaluated again.
	const isOfModel = isTool && /\$fromAI/i.test(String(JSON.stringify(entered)));
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
	const { label, value, entered, item, isTool } = input;
	const text = [value]
		.flat()
		.filter((each) => typeof each === 'string')
		.join();
	const [word, pattern] = Object.entries(NO_TEXT).find((entry) => entry[1].test(text)) ?? [];
	// With an older agent, it isn't known what the model has filled in.
	if (pattern === undefined || isTool) return;
	const code = [...String(entered).matchAll(/\{\{.*?\}\}/gs)].join();
	// Such as `String($json.number)`.
	const isWhole = text.trim() === word;
	const isJoined = isWhole || /\+|\$\{/.test(code);
	const values = valuesIn(code, item);
	// If the expression or what it reads contains the word, it's text like any other. JSON's own null isn't.
	const sources = JSON.stringify([code, item.json, values], (_key, each: unknown) => each ?? '');
	if (!isJoined || pattern.test(sources)) return;
	// A text that isn't found this way may contain null, too, so one of the values has to be null.
	if (word === 'null' && !values.includes(null)) {
		const error = failedExpression(`'${label}'`, entered, item);
		if (error) throw error;
		return;
	}
	throw new UserFacingError(
		`'${label}' contains ${word}, since its expression found no value`,
		'',
		{
			builderAdvice:
				"Check the names of the columns in the expression. If a column may be empty, add a fallback, e.g. {{ 'Invoice ' + ($json.number ?? '') }}.",
		},
	);
}

/** Throws UserFacingError about the length of a list, or the letters of a text, instead of a list. */
export function assertIsList({ label, value, entered, item }: ParameterInput): void {
	const code = String(entered);
	if (typeof value === 'number' && /\.(?:push|unshift)\(/.test(code)) {
		const message = `The expression in '${label}' returns the length of a list instead of the list`;
		throw new UserFacingError(message, '', { builderAdvice: 'Use concat() instead of push().' });
	}
	// As `[...$json.tags, 'new']` does with a text.
	if (!/(?:\.\.\.|Set\(|from\()\s*\$/.test(code)) return;
	const isLetter = (each: unknown) => typeof each === 'string' && each.length === 1;
	const letters = [value].flat().filter(isLetter).join('');
	const isSpread = (text: unknown) =>
		typeof text === 'string' && text.length > 2 && letters.includes(text);
	if (!valuesIn(code, item).some(isSpread)) return;
	throw new UserFacingError(
		`The expression in '${label}' returns the letters of a text instead of a list`,
		'',
		{ builderAdvice: "Split the text first, e.g. {{ [...$json['tags'].split(','), 'new'] }}." },
	);
}
