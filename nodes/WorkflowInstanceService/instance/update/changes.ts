import type { Parameters } from '../../n8n/parameters';
import { asObject } from '../../values/json';
import { parseTags } from '../../values/tags';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { clearFields, FIELDS_TO_CLEAR, FIELDS_TO_UPDATE, updateFields } from './description';
import { type Changes, NO_CHANGES, UPDATE_FIELDS } from './fields';

function fieldNamed(name: string, parameter: string, names: string[], what: string) {
	const field = names.includes(name) ? UPDATE_FIELDS[name] : undefined;
	if (field !== undefined) return field;
	throw notExpected(name, `'${parameter}'`, what, `Choose from: ${names.join(', ')}.`);
}

const updatableNames = Object.keys(UPDATE_FIELDS);
const updatable = (name: string) =>
	fieldNamed(name, FIELDS_TO_UPDATE, updatableNames, 'a field that can be updated');
const clearableNames = updatableNames.filter((name) => UPDATE_FIELDS[name]?.empty !== undefined);
const clearable = (name: string) =>
	fieldNamed(name, FIELDS_TO_CLEAR, clearableNames, 'a field that can be cleared');

function addedFields(parameters: Parameters): Map<string, unknown> {
	const fields = new Map<string, unknown>(Object.entries(asObject(parameters.get(updateFields))));
	// A switch that is off says the same as one that was not added.
	const naming = fields.get('automaticNaming');
	if (naming === false || naming === 'false') fields.delete('automaticNaming');
	return fields;
}

function clearedFields(parameters: Parameters): string[] {
	const value = parameters.get(clearFields) ?? undefined;
	if (value !== undefined) return parseTags(value, FIELDS_TO_CLEAR);
	// A fixed choice is a list, and an expression is text.
	if (typeof parameters.entered(clearFields) !== 'string') return [];
	throw new UserFacingError(
		`'${FIELDS_TO_CLEAR}' has no value`,
		'Its expression found nothing for this item. Correct the expression, or let it give an empty list to clear nothing.',
	);
}

function refuseConflicts(added: string[], cleared: string[]): void {
	for (const name of added) {
		const { label, key, amends } = updatable(name);
		const clears = cleared.find((other) => clearable(other).key === key);
		if (clears !== undefined) {
			throw new UserFacingError(
				`'${label}' is both set and cleared`,
				`Remove it from '${FIELDS_TO_UPDATE}', or '${clearable(clears).label}' from '${FIELDS_TO_CLEAR}'.`,
			);
		}
		const rival = added
			.filter((other) => other !== name)
			.map(updatable)
			.find((other) => other.key === key && !(amends && other.amends));
		if (rival !== undefined) {
			throw new UserFacingError(
				`'${label}' and '${rival.label}' cannot be used together`,
				`Remove one of the two from '${FIELDS_TO_UPDATE}'.`,
			);
		}
	}
}

/** An unfilled field and an empty cell look like this; they must not wipe what is there. */
function isUnfilled(value: unknown, key: string): boolean {
	if (key === 'step_assignments') return Object.values(asObject(value)).flat().length === 0;
	if (typeof value !== 'string') return false;
	return (key === 'tags' ? value.replaceAll(',', '') : value).trim() === '';
}

function readField(name: string, value: unknown, parameters: Parameters): Partial<Changes> {
	const { label, key, empty, amends, read } = updatable(name);
	if (value === undefined) {
		throw new UserFacingError(
			`'${label}' has no value`,
			'Its expression found nothing for this item. Correct the expression, or remove the field to leave it as it is.',
		);
	}
	if (value === null && empty === null) return { set: { [key]: null } };
	// Tags to add or remove may be none for an item; a row of assignments that is not filled in is a slip.
	if (!(amends && key === 'tags') && isUnfilled(value, key)) {
		throw new UserFacingError(
			`'${label}' is empty`,
			amends
				? 'Enter a value, or remove the field.'
				: `Enter a value, or remove the field. To empty it in the service, choose it in '${FIELDS_TO_CLEAR}'.`,
		);
	}
	const entered = asObject(parameters.entered(updateFields))[name];
	return read(value, parameters.timezone, entered);
}

/**
 * What the user chose under 'Fields to Update' and 'Fields to Clear'; undefined when nothing.
 *
 * @throws UserFacingError naming the field when a value cannot be used, or when two choices contradict
 */
export function readChanges(parameters: Parameters): Changes | undefined {
	const added = addedFields(parameters);
	const cleared = clearedFields(parameters);
	refuseConflicts([...added.keys()], cleared);
	if (added.size + cleared.length === 0) return undefined;
	const parts: Array<Partial<Changes>> = [
		...[...added].map(([name, value]) => readField(name, value, parameters)),
		...cleared.map(clearable).map(({ key, empty }) => ({ set: { [key]: empty } })),
	];
	return parts.reduce<Changes>(
		(all, { set, leaveOut = [], amendments = [] }) => ({
			set: { ...all.set, ...set },
			leaveOut: [...all.leaveOut, ...leaveOut],
			amendments: [...all.amendments, ...amendments],
		}),
		NO_CHANGES,
	);
}
