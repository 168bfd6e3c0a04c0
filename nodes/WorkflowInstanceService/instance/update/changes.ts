import type { Parameters } from '../../n8n/parameters';
import { asObject } from '../../values/json';
import { parseTags } from '../../values/tags';
import { isEmpty, notExpected, UserFacingError } from '../../values/userFacingError';
import { clearFields, FIELDS_TO_CLEAR, FIELDS_TO_UPDATE, updateFields } from './description';
import {
	CLEARABLE,
	type Clearable,
	type FieldParameter,
	SETTABLE,
	UPDATE_PARAMETERS,
} from './fields';
import { type Change, type FieldChange, isAmendment } from './settableField';

function fieldNamed<Field extends { name: string }>(
	name: string,
	fields: readonly Field[],
	parameter: string,
	what: string,
): Field {
	const field = fields.find((each) => each.name === name);
	if (field !== undefined) return field;
	const names = fields.map((each) => each.name).join(', ');
	throw notExpected(name, `'${parameter}'`, what, `Choose from: ${names}.`);
}

const updatable = (name: string) =>
	fieldNamed(name, UPDATE_PARAMETERS, FIELDS_TO_UPDATE, 'a field that can be updated');
const clearable = (name: string) =>
	fieldNamed(name, CLEARABLE, FIELDS_TO_CLEAR, 'a field that can be cleared');

/** What a resource locator has besides what was entered. */
const OF_A_LOCATOR = ['__rl', 'mode', 'cachedResultName', 'cachedResultUrl'];

/** The values that were entered in a field, beside what came of them. */
function enteredValues(
	entered: unknown,
	value: unknown,
): Array<[entered: unknown, value: unknown]> {
	if (typeof entered !== 'object' || entered === null) return [[entered, value]];
	const values = new Map<string, unknown>(Object.entries(Object(value)));
	return Object.entries(entered)
		.filter(([key]) => !OF_A_LOCATOR.includes(key))
		.flatMap(([key, each]) => enteredValues(each, values.get(key)));
}

/** Whether a field is left to the model of an agent, and the model gave nothing for it. */
function isLeftOutByModel(entered: unknown, value: unknown): boolean {
	const values = enteredValues(entered, value);
	const isOfModel = ([text]: [unknown, unknown]) =>
		typeof text === 'string' && text.includes('$fromAI');
	return values.some(isOfModel) && values.every((each) => isOfModel(each) && isEmpty(each[1]));
}

function addedFields(parameters: Parameters): Map<string, unknown> {
	const entered = asObject(parameters.entered(updateFields));
	const fields = new Map<string, unknown>(
		Object.entries(asObject(parameters.get(updateFields))).filter(
			([name, value]) => !isLeftOutByModel(entered[name], value),
		),
	);
	// A switch that is off says the same as one that was not added.
	const naming = fields.get('automaticNaming');
	if (naming === false || naming === 'false') fields.delete('automaticNaming');
	return fields;
}

function clearedFields(parameters: Parameters): string[] {
	const value = parameters.get(clearFields) ?? undefined;
	if (value !== undefined) return parseTags(value, FIELDS_TO_CLEAR);
	throw new UserFacingError(
		`'${FIELDS_TO_CLEAR}' has no value`,
		'Its expression returned nothing for this item. Correct it, or have it return an empty list to clear nothing.',
	);
}

function rejectConflicts(added: readonly FieldParameter[], cleared: readonly Clearable[]): void {
	for (const { label, field, amends, name } of added) {
		const clears = cleared.find(({ key }) => key === field.key);
		if (clears !== undefined) {
			throw new UserFacingError(
				`'${label}' is both set and cleared`,
				`Remove it from '${FIELDS_TO_UPDATE}', or remove '${clears.label}' from '${FIELDS_TO_CLEAR}'.`,
			);
		}
		const rival = added
			.filter((other) => other.name !== name && other.field === field)
			.find((other) => !(amends && other.amends));
		if (rival !== undefined) {
			throw new UserFacingError(
				`'${label}' and '${rival.label}' can't be used together`,
				`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
			);
		}
	}
}

function readField(parameter: FieldParameter, value: unknown, parameters: Parameters): Change {
	const { label, name, field, amends, mayBeEmpty, read } = parameter;
	if (value === undefined) {
		throw new UserFacingError(
			`'${label}' has no value`,
			'Its expression returned nothing for this item. Correct it, or remove the field.',
		);
	}
	if (value === null && parameter.replaces && field.empty === null) return { set: null };
	if (!mayBeEmpty && field.isUnfilled(value)) {
		throw new UserFacingError(
			`'${label}' is empty`,
			amends || field.empty === undefined
				? 'Enter a value, or remove the field.'
				: `Enter a value, or remove the field. To clear it in the service, choose it in '${FIELDS_TO_CLEAR}'.`,
		);
	}
	const entered = asObject(parameters.entered(updateFields))[name];
	return read(value, { label, zone: parameters.timezone, entered });
}

/**
 * What the user chose under 'Fields to Update' and 'Fields to Clear'.
 *
 * @throws UserFacingError naming the field when a value cannot be used, or when two choices contradict
 */
export function readChanges(parameters: Parameters): FieldChange[] {
	const values = addedFields(parameters);
	const added = [...values.keys()].map(updatable);
	const cleared = clearedFields(parameters).map(clearable);
	rejectConflicts(added, cleared);
	const changes = added.map((parameter) => ({
		key: parameter.field.key,
		label: parameter.label,
		...readField(parameter, values.get(parameter.name), parameters),
	}));
	for (const { key, rejectContradictions } of SETTABLE) {
		const own = changes.filter((change) => change.key === key);
		rejectContradictions?.(own.filter(isAmendment));
	}
	return [...changes, ...cleared.map(({ key, empty }) => ({ key, set: empty }))];
}
