import { chosenOption, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
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
import {
	type Change,
	EMPTY_VALUES,
	type EmptyValues,
	emptyValueError,
	isListEdit,
	setTo,
} from './settableField';

/** What the user wants, and of which field. */
export type FieldChange = Change & { key: string };

/** What the user wants of an instance. */
export interface Changes {
	/** Of a field one thing, or edits of its list. */
	changes: readonly FieldChange[];
	/** The keys of fields for which expressions returned nothing, so that they stay as they are. */
	kept: readonly string[];
}

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

function addedFields(parameters: Parameters): Array<[name: string, value: unknown]> {
	// A switch that is off says the same as one that was not added.
	return Object.entries(asObject(parameters.get(updateFields))).filter(
		([name, value]) => name !== 'automaticNaming' || (value !== false && value !== 'false'),
	);
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
	for (const { label, field, effect, name } of added) {
		const clears = cleared.find(({ key }) => key === field.key);
		if (clears !== undefined) {
			throw new UserFacingError(
				`'${label}' is both set and cleared`,
				`Remove it from '${FIELDS_TO_UPDATE}', or remove '${clears.label}' from '${FIELDS_TO_CLEAR}'.`,
			);
		}
		const rival = added
			.filter((other) => other.name !== name && other.field === field)
			.find((other) => effect !== 'edits' || other.effect !== 'edits');
		if (rival !== undefined) {
			throw new UserFacingError(
				`'${label}' and '${rival.label}' can't be used together`,
				`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
			);
		}
	}
}

/** What a value without anything in it does; nothing is done where a field cannot be emptied. */
function changeByEmpty(
	{ label, field, effect, form }: FieldParameter,
	entered: unknown,
	emptyValues: EmptyValues,
): Change | undefined {
	// n8n makes an empty form of rows out of any expression, whatever it returns.
	const isEvaluated = isExpression(chosenIn(entered)) && form.type !== 'fixedCollection';
	const isClearable = effect === 'replaces' && field.empty !== undefined;
	if (!isEvaluated) {
		throw new UserFacingError(
			`'${label}' is empty`,
			isClearable
				? `Enter a value, or remove the field. To clear it in the service, choose it in '${FIELDS_TO_CLEAR}'.`
				: 'Enter a value, or remove the field.',
		);
	}
	if (emptyValues === 'reject') throw emptyValueError(`'${label}'`);
	return isClearable && emptyValues === 'clear' ? setTo(field.empty) : undefined;
}

/**
 * What the user chose under 'Fields to Update' and 'Fields to Clear'.
 *
 * @param isTool whether an AI agent gives the values: what it leaves out stays as it is
 * @throws UserFacingError naming the field when a value cannot be used, or when two choices contradict
 */
export function readChanges(parameters: Parameters, isTool: boolean): Changes {
	const { emptyValues: chosen = 'reject' } = optionsOf(parameters);
	const emptyValues = isTool ? 'keep' : chosenOption(chosen, 'Empty Values', EMPTY_VALUES);
	const zone = parameters.timezone;

	const added = addedFields(parameters).map(([name, value]) => {
		const parameter = updatable(name);
		const { label, isEmpty: hasNothing = (entry) => isEmpty(chosenIn(entry)), read } = parameter;
		const entered = asObject(parameters.entered(updateFields))[name];
		const change = hasNothing(value)
			? changeByEmpty(parameter, entered, emptyValues)
			: read(value, { label, zone, entered, emptyValues });
		return { parameter, change };
	});
	const cleared = clearedFields(parameters).map(clearable);
	rejectConflicts(
		added.filter(({ change }) => change !== undefined).map(({ parameter }) => parameter),
		cleared,
	);
	const changes = added.flatMap(({ parameter: { field, label }, change }) =>
		change === undefined ? [] : [{ key: field.key, label, ...change }],
	);
	for (const { key, rejectContradictions } of SETTABLE) {
		const own = changes.filter((change) => change.key === key);
		rejectContradictions?.(own.filter(isListEdit));
	}
	return {
		changes: [...changes, ...cleared.map(({ key, empty }) => ({ key, ...setTo(empty) }))],
		kept: added
			.filter(({ change }) => change === undefined)
			.map(({ parameter }) => parameter.field.key),
	};
}
