import type { INodeProperties } from 'n8n-workflow';

import { hasExpression, isExpression } from '../../n8n/expressions';
import { chosenOption, chosenOptions, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import {
	type Change,
	type Entry,
	type FieldParameter,
	UPDATE_FIELDS_LABEL,
	labelOf,
	saysNothing,
	type UpdateField,
} from './field';
import { FIELDS } from './fields';
import { clearFields, emptyValues, updateFields } from './form';

/** What becomes of each field; what is kept is sent as it was read. */
export type Changes = ReadonlyMap<UpdateField, Change | 'kept'>;

/** A change, with the label of the parameter that makes it. */
type LabelledChange = Change & { label: string };

/** What an empty value does: nothing, where it can't empty the field. */
function changeByEmpty(
	{ clear }: UpdateField,
	{ form, replaces }: FieldParameter,
	{ label, entered, emptyValues: whenEmpty }: Entry,
): Change | undefined {
	const isRows = form.type === 'fixedCollection';
	// n8n drops rows that one expression returns as a whole.
	if (!hasExpression(isRows ? asObject(entered) : entered)) {
		const advice = " To clear it in the service, choose it in 'Fields to Clear'.";
		throw new UserFacingError(
			`'${label}' is empty`,
			`Enter a value, or remove the field.${replaces && clear ? advice : ''}`,
		);
	}
	if (whenEmpty === 'reject') {
		throw new UserFacingError(
			`${isRows ? "'Action', 'Step' or 'User' in " : ''}'${label}' is empty`,
			`Its expression returned nothing for this item. Correct it, or set '${emptyValues.displayName}' under 'Options' to Keep or Clear.`,
		);
	}
	return whenEmpty === 'clear' && replaces ? clear : undefined;
}

/** What the parameters of one field make of it together. */
function combined(changes: readonly LabelledChange[]): Change | 'kept' {
	const sole = changes.find((change) => 'value' in change);
	const edits = changes.flatMap((change) => ('edit' in change ? [change.edit] : []));
	if (sole === undefined) {
		if (edits.length === 0) return 'kept';
		return { edit: (current) => edits.reduce((list, edit) => edit(list), current) };
	}
	const other = changes.find((change) => change !== sole);
	if (other === undefined) return sole;
	throw new UserFacingError(
		`'${sole.label}' and '${other.label}' can't be used together`,
		`Remove one of them from '${UPDATE_FIELDS_LABEL}'.`,
	);
}

function readField(
	field: UpdateField,
	entryOf: (form: INodeProperties) => Entry | undefined,
	cleared: readonly string[],
): Change | 'kept' {
	const changes: LabelledChange[] = [];
	for (const parameter of field.parameters) {
		const entry = entryOf(parameter.form);
		if (entry === undefined) continue;
		const read = isEmpty(chosenIn(entry.value)) ? undefined : parameter.read(entry);
		const change = read ?? changeByEmpty(field, parameter, entry);
		if (change !== undefined) changes.push({ ...change, label: entry.label });
	}
	const { clear } = field;
	if (clear === undefined || !cleared.includes(clear.option)) return combined(changes);
	const [first] = changes;
	if (first === undefined) return clear;
	throw new UserFacingError(
		`'${first.label}' is both set and cleared`,
		`Remove it from '${UPDATE_FIELDS_LABEL}', or remove '${labelOf(field)}' from '${clearFields.displayName}'.`,
	);
}

function readCleared(parameters: Parameters, isTool: boolean): string[] {
	const chosen = parameters.get(clearFields);
	if (isTool && saysNothing(chosen)) return [];
	const clearable = FIELDS.flatMap(({ clear }) => clear?.option ?? []);
	return chosenOptions(chosen, clearFields.displayName, clearable);
}

/** What the user, or an AI agent, chose to do with each field. Throws UserFacingError about invalid values. */
export function readChanges(
	parameters: Parameters,
	{ isTool, baseUrl }: { isTool: boolean; baseUrl: string },
): Changes {
	const { timezone } = parameters;
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
	const entryOf = ({ displayName: label, name }: INodeProperties): Entry | undefined => {
		if (!Object.hasOwn(values, name)) return undefined;
		const { [name]: entered } = enteredValues;
		// What an AI agent leaves empty stays as it is.
		const isLeftOut = isTool && isExpression(chosenIn(entered)) && saysNothing(values[name]);
		const value = isLeftOut ? null : values[name];
		const own = { label, value, entered, emptyValues: isTool ? 'keep' : whenEmpty } as const;
		return { ...own, isTool, timezone, baseUrl };
	};
	return new Map(FIELDS.map((field) => [field, readField(field, entryOf, cleared)]));
}
