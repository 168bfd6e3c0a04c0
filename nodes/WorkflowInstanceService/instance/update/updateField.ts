import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { hasExpression } from '../../n8n/expressions';
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
export function assertNoUndefined({ label, value, entered, item, isTool }: ParameterInput): void {
	const code = [...String(entered).matchAll(/\{\{.*?\}\}/gs)].join();
	// With an older agent, it isn't known what the model has filled in. The text of another node may contain any word.
	if (isTool || !/\+|\$\{/.test(code) || /\$(?:\(|node|input)/.test(code)) return;
	const text = [value]
		.flat()
		.filter((each) => typeof each === 'string')
		.join();
	// If the expression or its item contains the word, it's text like any other. JSON's own null isn't.
	const sources = JSON.stringify([code, item.json()], (_key, each: unknown) => each ?? '');
	const isAdded = ([, pattern]: [string, RegExp]) => pattern.test(text) && !pattern.test(sources);
	const [word] = Object.entries(NO_TEXT).find(isAdded) ?? [];
	if (word === undefined) return;
	throw new UserFacingError(
		`'${label}' contains ${word}, since its expression found no value`,
		'',
		{
			builderAdvice:
				"Check the names of the columns in the expression. If a column may be empty, add a fallback, e.g. {{ 'Invoice ' + ($json.number ?? '') }}.",
		},
	);
}
