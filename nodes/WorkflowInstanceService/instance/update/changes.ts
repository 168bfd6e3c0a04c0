import type { INodeProperties } from 'n8n-workflow';

import { chosenOption, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
import { parseTags } from '../../values/tags';
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

function isNothingChosen(value: unknown): boolean {
	return isEmpty(chosenIn(value));
}

function clearedFields(parameters: Parameters): SettableField[] {
	const value = parameters.get(clearFields) ?? undefined;
	if (value === undefined) {
		throw new UserFacingError(
			`'${FIELDS_TO_CLEAR}' has no value`,
			'Its expression returned nothing for this item. Correct it, or have it return an empty list to clear nothing.',
		);
	}
	const names = CLEARABLE.map(({ name }) => name);
	const chosen = parseTags(value, FIELDS_TO_CLEAR).map((name) =>
		chosenOption(name, FIELDS_TO_CLEAR, names),
	);
	return CLEARABLE.filter(({ name }) => chosen.includes(name));
}

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

/** What a parameter makes of its field. */
interface Used {
	label: string;
	change: Change;
}

function rejectConflicts(used: Used[], { key }: SettableField, isCleared: boolean): void {
	const sole = used.find(({ change }) => isCleared || !('edit' in change));
	const other = used.find((each) => each !== sole);
	if (sole !== undefined && isCleared) {
		throw new UserFacingError(
			`'${sole.label}' is both set and cleared`,
			`Remove it from '${FIELDS_TO_UPDATE}', or remove '${INSTANCE_FIELDS[key]}' from '${FIELDS_TO_CLEAR}'.`,
		);
	}
	if (sole === undefined || other === undefined) return;
	throw new UserFacingError(
		`'${sole.label}' and '${other.label}' can't be used together`,
		`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
	);
}

/** What the user wants of a field; undefined when it was not chosen. */
function readField(
	field: SettableField,
	isCleared: boolean,
	entryOf: (form: INodeProperties) => Entry | undefined,
): Change[] | undefined {
	const used: Used[] = [];
	let isKept = false;
	for (const { form, read, isEmpty: saysNothing = isNothingChosen } of field.parameters) {
		const entry = entryOf(form);
		if (entry === undefined) continue;
		const change = saysNothing(entry.value) ? changeByEmpty(entry, form, field) : read(entry);
		if (change !== undefined) used.push({ label: entry.label, change });
		else isKept = true;
	}
	rejectConflicts(used, field, isCleared);
	if (isCleared) return [{ value: field.empty }];
	const changes = used.map(({ change }) => change);
	// Edits may contradict each other.
	edited(changes, []);
	return isKept || changes.length > 0 ? changes : undefined;
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
	const cleared = clearedFields(parameters);
	const changes = new Map<SettableField, Change[]>();
	for (const field of SETTABLE) {
		const ofField = readField(field, cleared.includes(field), entryOf);
		if (ofField !== undefined) changes.set(field, ofField);
	}
	return changes;
}
