import type { INodeProperties } from 'n8n-workflow';

import { hasExpression } from '../../n8n/expressions';
import type { NodeExecution } from '../../n8n/operation';
import {
	chosenOption,
	chosenOptions,
	optionsForm,
	optionsOf,
	type ItemParameters,
	writeOptions,
} from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isEmpty } from '../../values/text';
import { entriesOf } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { changeOfEmpty, isEmptyInput } from './emptyValues';
import {
	assertNoTemplate,
	assertNoUndefined,
	type Change,
	type ParameterInput,
	type FieldParameter,
	type UpdateField,
} from './updateField';
import { FIELDS } from './fields';

const FORMS = FIELDS.flatMap(({ form, edits = [] }) => [...edits.map((edit) => edit.form), form]);

// Kept apart from the parameter, since a lint rule wants another label for it.
export const UPDATE_FIELDS_LABEL = 'Fields to Update';

export const updateFields: INodeProperties = {
	displayName: UPDATE_FIELDS_LABEL,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'Only the fields you add are changed',
	options: FORMS,
};

export const CLEARABLE = FIELDS.filter(({ clear }) => clear !== undefined);

export const clearFields: INodeProperties = {
	displayName: 'Fields to Clear',
	name: 'clearFields',
	type: 'multiOptions',
	options: CLEARABLE.map(({ form, label }) => ({ name: label, value: form.name })),
	default: [],
	description:
		"Removes the current values of the fields you choose. Don't also set them in Fields to Update.",
};

export const leaveOutRejectedNames: INodeProperties = {
	displayName: 'Leave Out Rejected Names',
	name: 'leaveOutRejectedNames',
	type: 'boolean',
	default: true,
	description:
		"Whether to retry without the name if the service rejects the instance's current name. Only for processes that generate instance names: other instances would lose theirs.",
};

const EMPTY_MODES = ['reject', 'keep', 'clear'] as const;

const emptyValues: INodeProperties = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	options: [
		{ name: 'Reject', value: 'reject', description: 'Reject the item before anything is sent' },
		{
			name: 'Keep',
			value: 'keep',
			description: 'Keep the current value, as if the field had not been added',
		},
		{
			name: 'Clear',
			value: 'clear',
			description: 'Clear the field. Has no effect on Process or on fields that add or remove.',
		},
	],
	default: 'reject',
	description:
		'What to do when an expression under Fields to Update returns nothing, such as an empty cell of a table or an empty list. AI tools always keep the current value.',
};

export const updateOptions = optionsForm([emptyValues, leaveOutRejectedNames, ...writeOptions]);

/** The fields that change. All others are sent as they were read. */
export type Changes = ReadonlyMap<UpdateField, Change>;

/** The change that a parameter makes; undefined if it's empty and keeps the field. */
function parseParameter(parameter: FieldParameter, input: ParameterInput): Change | undefined {
	const { form, parse } = parameter;
	const { label, value, entered, isTool } = input;
	assertNoTemplate(input);
	const contents = [value, entered];
	const [own, ownEntered] = form.type === 'resourceLocator' ? contents.map(chosenIn) : contents;
	if (!isEmptyInput(own, ownEntered, isTool)) {
		assertNoUndefined(input);
		const change = parse(input);
		if (change !== undefined) return change;
	}
	if (!hasExpression(entered)) {
		const toClear = parameter.clear
			? ` To clear it in the service, use '${clearFields.displayName}'.`
			: '';
		const advice = `Enter or choose a value, or remove the field.${toClear}`;
		throw new UserFacingError(`'${label}' is empty`, advice);
	}
	return changeOfEmpty(parameter, ownEntered, input);
}

/**
 * Combines the changes of one field, which have their labels as keys. Edits are made from the last to the first, so a
 * tag that is both removed and added is there afterward.
 */
function combined(changes: ReadonlyMap<string, Change>): Change | undefined {
	const [change] = changes.values();
	if (changes.size < 2) return change;
	const edits = [...changes.values()].flatMap((each) => ('edit' in each ? each.edit : []));
	if (edits.length === changes.size) {
		return {
			edit: (current, instance) => edits.reduceRight((list, edit) => edit(list, instance), current),
		};
	}
	const [first, second] = changes.keys();
	throw new UserFacingError(`${first} and ${second} can't be used together`, 'Remove one of them.');
}

function parseField(
	field: UpdateField,
	inputOf: (form: INodeProperties) => ParameterInput | undefined,
	cleared: readonly string[],
): Change | undefined {
	const { form, label, clear, edits = [] } = field;
	const changes = new Map<string, Change>();
	for (const parameter of [field, ...edits]) {
		const input = inputOf(parameter.form);
		const change = input && parseParameter(parameter, input);
		if (change !== undefined) changes.set(`'${parameter.form.displayName}'`, change);
	}
	if (clear && cleared.includes(form.name))
		changes.set(`'${label}' in '${clearFields.displayName}'`, clear);
	return combined(changes);
}

function parseCleared(parameters: ItemParameters, isTool: boolean): string[] {
	const value = parameters.get(clearFields);
	if (isTool && isEmptyInput(value, parameters.entered(clearFields), isTool)) return [];
	if (isEmpty(value) && entriesOf(value).length > 0) {
		const advice =
			'Check the name of the column in its expression. If there is nothing to clear, have it return an empty list, [].';
		throw new UserFacingError(`'${clearFields.displayName}' is empty`, advice);
	}
	const names = CLEARABLE.map(({ form }) => form.name);
	return chosenOptions(value, clearFields.displayName, names);
}

/**
 * What the user, or an AI agent, chose to do with each field, and which of their expressions returned nothing.
 * Throws UserFacingError about invalid values.
 */
export function parseChanges(
	parameters: ItemParameters,
	{ isTool, baseUrl }: Pick<NodeExecution, 'baseUrl' | 'isTool'>,
): { changes: Changes; emptyLabels: string[] } {
	const { emptyValues: mode = 'reject' } = optionsOf(parameters);
	const chosen = chosenOption(mode, `'${emptyValues.displayName}'`, EMPTY_MODES);
	const whenEmpty = isTool ? 'keep' : chosen;
	const values = asObject(parameters.get(updateFields));
	const enteredValues = asObject(parameters.entered(updateFields));
	const cleared = parseCleared(parameters, isTool);
	const mayClear = cleared.length > 0 || hasExpression(parameters.entered(clearFields));
	if (Object.keys(values).length === 0 && !mayClear) {
		throw new UserFacingError(
			'There is nothing to update',
			`Add a field under '${UPDATE_FIELDS_LABEL}', or choose one in '${clearFields.displayName}'.`,
			{
				builderAdvice: `'Change Step Assignments' also needs a row. Use an expression in each field, since n8n ignores one for the whole collection. In the JSON of the node, n8n only keeps these fields: ${FORMS.map(({ name }) => name).join(', ')}.`,
			},
		);
	}
	const { item, timezone } = parameters;
	const emptyLabels: string[] = [];
	const shared = { isTool, baseUrl, item, timezone, whenEmpty, emptyLabels };
	const inputOf = ({ displayName: label, name }: INodeProperties): ParameterInput | undefined => {
		if (!Object.hasOwn(values, name)) return undefined;
		return { ...shared, label, value: values[name], entered: enteredValues[name] };
	};
	const changes = new Map<UpdateField, Change>();
	for (const field of FIELDS) {
		const change = parseField(field, inputOf, cleared);
		if (change !== undefined) changes.set(field, change);
	}
	return { changes, emptyLabels };
}
