import type { INodeProperties } from 'n8n-workflow';

import { chosenOption, chosenOptions, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import {
	clearFields,
	emptyValues,
	FIELDS_TO_CLEAR,
	FIELDS_TO_UPDATE,
	updateFields,
} from './description';
import { CLEARABLE, SETTABLE } from './fields';
import {
	type Change,
	edited,
	EMPTY_VALUES,
	emptyValueError,
	type Entry,
	type SettableField,
} from './settableField';

/** What becomes of the fields that the user chose: nothing where expressions returned nothing. */
export type Changes = ReadonlyMap<SettableField, Change[]>;

/** What an empty value does: nothing, where a field cannot be emptied. */
function changeByEmpty(
	{ label, entered, emptyValues: chosen }: Entry,
	{ name, type }: INodeProperties,
	field: SettableField,
): Change | undefined {
	const isClearable = name === field.name && field.empty !== undefined;
	// n8n makes an empty form of rows out of any expression, whatever it returns.
	if (!isExpression(chosenIn(entered)) || type === 'fixedCollection') {
		const clear = `To clear it in the service, choose it in '${FIELDS_TO_CLEAR}'.`;
		throw new UserFacingError(
			`'${label}' is empty`,
			`Enter a value, or remove the field.${isClearable ? ` ${clear}` : ''}`,
		);
	}
	if (chosen === 'reject') throw emptyValueError(`'${label}'`);
	return isClearable && chosen === 'clear' ? { value: field.empty } : undefined;
}

/** @param labels of the parameters that make these changes */
function rejectConflicts(changes: Change[], labels: string[]): void {
	const sole = changes.findIndex((change) => !('edit' in change));
	if (sole === -1 || changes.length === 1) return;
	const other = labels.find((_, index) => index !== sole);
	throw new UserFacingError(
		`'${labels[sole]}' and '${other}' can't be used together`,
		`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
	);
}

/** What the user wants of a field; undefined when it was not chosen. */
function readField(
	field: SettableField,
	isCleared: boolean,
	entryOf: (form: INodeProperties) => Entry | undefined,
): Change[] | undefined {
	const changes: Change[] = [];
	const labels: string[] = [];
	let isChosen = false;
	for (const parameter of field.parameters) {
		const { form } = parameter;
		const entry = entryOf(form);
		if (entry === undefined) continue;
		isChosen = true;
		const hasNothing = parameter.isEmpty?.(entry.value) ?? isEmpty(chosenIn(entry.value));
		const change = hasNothing ? changeByEmpty(entry, form, field) : parameter.read(entry);
		if (change === undefined) continue;
		if (isCleared) {
			throw new UserFacingError(
				`'${entry.label}' is both set and cleared`,
				`Remove it from '${FIELDS_TO_UPDATE}', or remove '${INSTANCE_FIELDS[field.key]}' from '${FIELDS_TO_CLEAR}'.`,
			);
		}
		changes.push(change);
		labels.push(entry.label);
	}
	if (isCleared) return [{ value: field.empty }];
	rejectConflicts(changes, labels);
	// Edits may contradict each other.
	edited(changes, []);
	return isChosen ? changes : undefined;
}

/**
 * What the user chose under 'Fields to Update' and 'Fields to Clear'.
 *
 * @param isTool whether an AI agent gives the values: what it leaves out stays as it is
 * @throws UserFacingError naming the field when a value cannot be used, or when two choices contradict
 */
export function readChanges(parameters: Parameters, isTool: boolean): Changes {
	const { emptyValues: chosen = 'reject' } = optionsOf(parameters);
	const own = {
		zone: parameters.timezone,
		emptyValues: isTool ? 'keep' : chosenOption(chosen, emptyValues.displayName, EMPTY_VALUES),
	};
	const values = asObject(parameters.get(updateFields));
	const entered = asObject(parameters.entered(updateFields));
	const entryOf = ({ name, displayName: label, type }: INodeProperties): Entry | undefined => {
		const value = values[name];
		// A switch that is off says the same as one that was not added.
		const isOff = type === 'boolean' && String(value) === 'false';
		if (!Object.hasOwn(values, name) || isOff) return undefined;
		return { ...own, label, value, entered: entered[name] };
	};
	const clearable = CLEARABLE.map(({ name }) => name);
	const cleared = chosenOptions(parameters.get(clearFields), FIELDS_TO_CLEAR, clearable);
	const changes = new Map<SettableField, Change[]>();
	for (const field of SETTABLE) {
		const ofField = readField(field, cleared.includes(field.name), entryOf);
		if (ofField !== undefined) changes.set(field, ofField);
	}
	return changes;
}
