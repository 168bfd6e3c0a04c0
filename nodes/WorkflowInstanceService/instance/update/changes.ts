import type { INodeProperties } from 'n8n-workflow';

import { hasExpression } from '../../n8n/expressions';
import type { NodeRun } from '../../n8n/operation';
import { chosenOption, chosenOptions, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import {
	type Change,
	type Entry,
	type FieldParameter,
	UPDATE_FIELDS_LABEL,
	isLeftOut,
	saysNothing,
	type UpdateField,
} from './field';
import { FIELDS } from './fields';
import { CLEARABLE, clearFields, emptyValues, updateFields } from './form';

/** What becomes of each field; what is kept is sent as it was read. */
export type Changes = ReadonlyMap<UpdateField, Change | 'kept'>;

/** What a parameter does; undefined where it's empty and keeps the field. */
function readParameter({ form, clear, read }: FieldParameter, entry: Entry): Change | undefined {
	const { label, value, entered, emptyValues: whenEmpty, isTool } = entry;
	const isNothing = isEmpty(chosenIn(value)) || isLeftOut(value, entered, isTool);
	const change = isNothing ? undefined : read(entry);
	if (change !== undefined) return change;
	const isRows = form.type === 'fixedCollection';
	// n8n drops rows that one expression returns as a whole.
	if (!hasExpression(isRows ? asObject(entered) : entered)) {
		const advice = clear ? " To clear it in the service, choose it in 'Fields to Clear'." : '';
		throw new UserFacingError(
			`'${label}' is empty`,
			`Enter a value, or remove the field.${advice}`,
		);
	}
	if (whenEmpty !== 'reject') return whenEmpty === 'clear' ? clear : undefined;
	throw new UserFacingError(
		`${isRows ? "'Action', 'Step' or 'User' of " : ''}'${label}' is empty`,
		`Its expression returned nothing for this item. Correct it, or set '${emptyValues.displayName}' under 'Options' to Keep or Clear.`,
	);
}

/** Combines the changes of one field, which have their labels as keys. Those that replace it come first. */
function combined(changes: ReadonlyMap<string, Change>): Change | 'kept' {
	const [change = 'kept'] = changes.values();
	if (changes.size < 2) return change;
	const edits = [...changes.values()].flatMap((each) => ('edit' in each ? each.edit : []));
	if (edits.length === changes.size) {
		return { edit: (current) => edits.reduce((list, edit) => edit(list), current) };
	}
	const [label, other] = changes.keys();
	throw new UserFacingError(`${other} and ${label} can't be used together`, 'Remove one of them.');
}

function readField(
	field: UpdateField,
	entryOf: (form: INodeProperties) => Entry | undefined,
	cleared: readonly string[],
): Change | 'kept' {
	const { form, label, clear, edits = [] } = field;
	const changes = new Map<string, Change>();
	if (clear && cleared.includes(form.name)) {
		changes.set(`'${label}' in '${clearFields.displayName}'`, clear);
	}
	for (const parameter of [field, ...edits]) {
		const entry = entryOf(parameter.form);
		const change = entry && readParameter(parameter, entry);
		if (change !== undefined) changes.set(`'${parameter.form.displayName}'`, change);
	}
	return combined(changes);
}

function readCleared(parameters: Parameters, isTool: boolean): string[] {
	const chosen = parameters.get(clearFields);
	if (isTool && saysNothing(chosen)) return [];
	const names = CLEARABLE.map(({ form }) => form.name);
	return chosenOptions(chosen, clearFields.displayName, names);
}

/** What the user, or an AI agent, chose to do with each field. Throws UserFacingError about invalid values. */
export function readChanges(
	parameters: Parameters,
	{ isTool, baseUrl }: Pick<NodeRun, 'baseUrl' | 'isTool'>,
): Changes {
	const { emptyValues: chosen = 'reject' } = optionsOf(parameters);
	const choices = ['reject', 'keep', 'clear'] as const;
	const whenEmpty = chosenOption(chosen, emptyValues.displayName, choices);
	const values = asObject(parameters.get(updateFields));
	const enteredValues = asObject(parameters.entered(updateFields));
	const cleared = readCleared(parameters, isTool);
	if (Object.keys(values).length + cleared.length === 0) {
		throw new UserFacingError(
			'There is nothing to update',
			`Add a field under '${UPDATE_FIELDS_LABEL}', or choose one in '${clearFields.displayName}'.`,
		);
	}
	const { timezone } = parameters;
	const shared = { isTool, baseUrl, timezone, emptyValues: isTool ? 'keep' : whenEmpty } as const;
	const entryOf = ({ displayName: label, name }: INodeProperties): Entry | undefined => {
		if (!Object.hasOwn(values, name)) return undefined;
		return { ...shared, label, value: values[name], entered: enteredValues[name] };
	};
	return new Map(FIELDS.map((field) => [field, readField(field, entryOf, cleared)]));
}
