import { isExpression } from '../../n8n/expressions';
import { chosenOption, chosenOptions, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import {
	type Change,
	type Entry,
	type FieldParameter,
	FIELDS_TO_UPDATE,
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

function isRows({ form }: FieldParameter): boolean {
	return form.type === 'fixedCollection';
}

function isFilled(parameter: FieldParameter, { value }: Entry): boolean {
	if (!isRows(parameter)) return !isEmpty(chosenIn(value));
	return Object.values(asObject(value)).flat().length > 0;
}

/** What an empty value does: nothing, where it can't empty the field. */
function changeByEmpty(
	field: UpdateField,
	parameter: FieldParameter,
	entry: Entry,
): Change | undefined {
	const { label, entered } = entry;
	const empties = parameter.replaces && field.empty !== undefined;
	// A row has expressions of its own.
	const isEvaluated = isRows(parameter)
		? isFilled(parameter, entry)
		: isExpression(chosenIn(entered));
	if (!isEvaluated) {
		const clear = " To clear it in the service, choose it in 'Fields to Clear'.";
		throw new UserFacingError(
			`'${label}' is empty`,
			`Enter a value, or remove the field.${empties ? clear : ''}`,
		);
	}
	if (entry.emptyValues === 'reject') {
		throw new UserFacingError(
			`${isRows(parameter) ? "'Action', 'Step' or 'User' in " : ''}'${label}' is empty`,
			`Its expression returned nothing for this item. Correct it, or set '${emptyValues.displayName}' under 'Options' to Keep or Clear.`,
		);
	}
	return entry.emptyValues === 'clear' && empties ? { value: field.empty } : undefined;
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
		`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
	);
}

function readField(
	field: UpdateField,
	entries: ReadonlyMap<FieldParameter, Entry>,
	isCleared: boolean,
): Change | 'kept' {
	const changes: LabelledChange[] = [];
	for (const parameter of field.parameters) {
		const entry = entries.get(parameter);
		if (entry === undefined) continue;
		const read = isFilled(parameter, entry) ? parameter.read(entry) : undefined;
		const change = read ?? changeByEmpty(field, parameter, entry);
		if (change !== undefined) changes.push({ ...change, label: entry.label });
	}
	const [first] = changes;
	if (!isCleared) return combined(changes);
	if (first === undefined) return { value: field.empty };
	throw new UserFacingError(
		`'${first.label}' is both set and cleared`,
		`Remove it from '${FIELDS_TO_UPDATE}', or remove '${labelOf(field)}' from '${clearFields.displayName}'.`,
	);
}

/** What was entered under 'Fields to Update'. What an AI agent leaves empty stays as it is. */
function readEntries(
	parameters: Parameters,
	{ isTool, baseUrl }: { isTool: boolean; baseUrl: string },
): Map<FieldParameter, Entry> {
	const { emptyValues: chosen = 'reject' } = optionsOf(parameters);
	const choices = ['reject', 'keep', 'clear'] as const;
	const whenEmpty = chosenOption(chosen, emptyValues.displayName, choices);
	const values = asObject(parameters.get(updateFields));
	const entered = asObject(parameters.entered(updateFields));
	const entries = new Map<FieldParameter, Entry>();
	for (const parameter of FIELDS.flatMap((field) => field.parameters)) {
		const { name, displayName: label } = parameter.form;
		if (!Object.hasOwn(values, name)) continue;
		const isLeftOut = isTool && isExpression(chosenIn(entered[name])) && saysNothing(values[name]);
		entries.set(parameter, {
			label,
			value: isLeftOut ? null : values[name],
			entered: entered[name],
			emptyValues: isTool ? 'keep' : whenEmpty,
			isTool,
			timezone: parameters.timezone,
			baseUrl,
		});
	}
	return entries;
}

function readCleared(parameters: Parameters, isTool: boolean): string[] {
	const chosen = parameters.get(clearFields);
	if (isTool && saysNothing(chosen)) return [];
	const clearable = FIELDS.flatMap(({ clearAs }) => clearAs ?? []);
	return chosenOptions(chosen, clearFields.displayName, clearable);
}

/** What the user, or an AI agent, chose to do with each field. Throws UserFacingError about invalid values. */
export function readChanges(
	parameters: Parameters,
	run: { isTool: boolean; baseUrl: string },
): Changes {
	const entries = readEntries(parameters, run);
	const cleared = readCleared(parameters, run.isTool);
	if (entries.size + cleared.length === 0) {
		throw new UserFacingError(
			'There is nothing to update',
			`Add a field under '${FIELDS_TO_UPDATE}', or choose one in '${clearFields.displayName}'.`,
		);
	}
	return new Map(
		FIELDS.map((field) => {
			const isCleared = cleared.some((name) => name === field.clearAs);
			return [field, readField(field, entries, isCleared)];
		}),
	);
}
