import type { IDataObject } from 'n8n-workflow';

import { chosenOption, chosenOptions, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import { clearFields, emptyValues, FIELD_FORMS, unsetFields, updateFields } from './description';
import type { Change, Changes, ParameterValue, SettableField } from './fields';
import { CLEARABLE, SETTABLE } from './fields';

/** A change, with the label of the parameter that makes it. */
type LabelledChange = Change & { label: string };

function isFilled({ form, value }: ParameterValue): boolean {
	if (form.type !== 'fixedCollection') return !isEmpty(chosenIn(value));
	return Object.values(asObject(value)).flat().length > 0;
}

/** What an empty value does: nothing, where a field can't be emptied. */
function changeByEmpty(given: ParameterValue, field: SettableField): Change | undefined {
	const { form, label, entered } = given;
	const isClearable = form.name === field.name && field.empty !== undefined;
	const isForm = form.type === 'fixedCollection';
	// n8n makes an empty form of rows out of any expression, whatever it returns.
	const isEvaluated = isForm ? isFilled(given) : isExpression(chosenIn(entered));
	if (!isEvaluated) {
		const clear = " To clear it in the service, choose it in 'Fields to Clear'.";
		throw new UserFacingError(
			`'${label}' is empty`,
			`Enter a value, or remove the field.${isClearable ? clear : ''}`,
		);
	}
	if (given.emptyValues === 'reject') {
		throw new UserFacingError(
			`${isForm ? "'Step' or 'User' in " : ''}'${label}' is empty`,
			"Its expression returned nothing for this item. Correct it, or set 'Empty Values' under 'Options' to Keep or Clear.",
		);
	}
	return isClearable && given.emptyValues === 'clear' ? { value: field.empty } : undefined;
}

/** What the parameters of one field make of it together. */
function combined(changes: LabelledChange[]): Change | 'kept' {
	const sole = changes.find((change) => !('adds' in change));
	const other = changes.find((change) => change !== sole);
	if (sole !== undefined && other !== undefined) {
		throw new UserFacingError(
			`'${sole.label}' and '${other.label}' can't be used together`,
			"Remove one of them from 'Fields to Update'.",
		);
	}
	if (other === undefined) return sole ?? 'kept';
	const edits = changes.filter((change) => 'adds' in change);
	const adds = edits.flatMap((edit) => edit.adds);
	const reassigned = edits.flatMap((edit) => (edit.removes.length > 0 ? edit.adds : []));
	const isShared = ({ step_id: step, user_id: user }: IDataObject) =>
		adds.map(asObject).some(({ step_id, user_id }) => step_id === step && user_id !== user);
	const shared = reassigned.map(asObject).find(isShared);
	if (shared !== undefined) {
		throw new UserFacingError(
			`'Reassign Steps' contains step ${String(shared.step_id)}, which would get more than one user`,
			"A reassigned step can have only one user. Keep one of the rows for it in 'Reassign Steps' and 'Add Step Assignments'.",
		);
	}
	return { adds, removes: edits.flatMap((edit) => edit.removes) };
}

function readField(
	field: SettableField,
	given: ReadonlyMap<string, ParameterValue>,
	isCleared: boolean,
): Change | 'kept' {
	const changes: LabelledChange[] = [];
	for (const [name, read] of Object.entries(field.readers)) {
		const entry = given.get(name);
		if (entry === undefined) continue;
		const change = (isFilled(entry) ? read(entry) : undefined) ?? changeByEmpty(entry, field);
		if (change !== undefined) changes.push({ ...change, label: entry.label });
	}
	const [first] = changes;
	if (!isCleared) return combined(changes);
	if (first === undefined) return { value: field.empty };
	throw new UserFacingError(
		`'${first.label}' is both set and cleared`,
		`Remove it from 'Fields to Update', or remove '${INSTANCE_FIELDS[field.key]}' from 'Fields to Clear'.`,
	);
}

/** Words, or an empty list, by which models say that they give no value. */
function saysNothing(value: unknown): boolean {
	const entries = [chosenIn(value)].flat();
	return entries.every(
		(each) => isEmpty(each) || /^(null|undefined|none|n\/a)$/i.test(String(each)),
	);
}

/** What was entered under 'Fields to Update', by parameter. What an AI agent leaves empty stays as it is. */
function readGiven(parameters: Parameters, isTool: boolean): ReadonlyMap<string, ParameterValue> {
	const { emptyValues: chosen = 'reject' } = optionsOf(parameters);
	const choices = ['reject', 'keep', 'clear'] as const;
	const shared = {
		isTool,
		timezone: parameters.timezone,
		emptyValues: isTool ? 'keep' : chosenOption(chosen, emptyValues.displayName, choices),
	};
	const values = asObject(parameters.get(updateFields));
	const entered = asObject(parameters.entered(updateFields));
	const given = new Map<string, ParameterValue>();
	for (const form of FIELD_FORMS) {
		const { name, displayName: label, type } = form;
		// A switch that is off says the same as one that was not added.
		const isOff = type === 'boolean' && String(values[name]) === 'false';
		if (!Object.hasOwn(values, name) || isOff) continue;
		const isLeftOut = isTool && isExpression(chosenIn(entered[name])) && saysNothing(values[name]);
		const value = isLeftOut ? null : values[name];
		given.set(name, { ...shared, form, label, value, entered: entered[name] });
	}
	return given;
}

function readCleared(parameters: Parameters, isTool: boolean): string[] {
	const chosen = parameters.get(clearFields);
	if (isTool && saysNothing(chosen)) return [];
	const clearable = CLEARABLE.map(({ name }) => name);
	return chosenOptions(chosen, clearFields.displayName, clearable);
}

/** What the user, or an AI agent that uses the node as a tool, chose to do with the fields. */
export function readChanges(parameters: Parameters, isTool: boolean): Changes {
	const { unsetFields: others = 'keep' } = optionsOf(parameters);
	const isReset = chosenOption(others, unsetFields.displayName, ['keep', 'reset']) === 'reset';
	const given = readGiven(parameters, isTool);
	const cleared = readCleared(parameters, isTool);
	if (isReset && !given.has('process')) {
		throw new UserFacingError(
			"'Process' is required when 'Other Fields' is set to Reset",
			"Add 'Process' under 'Fields to Update' and choose the process of the instance. Or set 'Other Fields' to Keep.",
		);
	}
	if (given.size + cleared.length === 0) {
		throw new UserFacingError(
			'There is nothing to update',
			"Add a field under 'Fields to Update', or choose one in 'Fields to Clear'.",
		);
	}
	const changes = new Map<SettableField, Change | 'kept'>();
	for (const field of SETTABLE) {
		const isCleared = cleared.includes(field.name);
		const isChosen = isCleared || Object.keys(field.readers).some((name) => given.has(name));
		if (isChosen || !isReset) changes.set(field, readField(field, given, isCleared));
	}
	return changes;
}
