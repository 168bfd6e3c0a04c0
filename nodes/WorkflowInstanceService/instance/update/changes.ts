import { chosenOption, optionsOf, type Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { asObject } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
import { parseTags } from '../../values/tags';
import { isEmpty, UserFacingError } from '../../values/userFacingError';
import {
	clearFields,
	emptyValues,
	FIELDS_TO_CLEAR,
	FIELDS_TO_UPDATE,
	updateFields,
} from './description';
import { CLEARABLE, type FieldParameter, SETTABLE, UPDATE_PARAMETERS } from './fields';
import {
	type Change,
	EMPTY_VALUES,
	emptyValueError,
	type Entry,
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

function clearedFields(parameters: Parameters): typeof CLEARABLE {
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

function rejectConflicts(added: FieldParameter[], cleared: typeof CLEARABLE): void {
	for (const { label, field, effect } of added) {
		const clears = cleared.find(({ key }) => key === field.key);
		if (clears !== undefined) {
			throw new UserFacingError(
				`'${label}' is both set and cleared`,
				`Remove it from '${FIELDS_TO_UPDATE}', or remove '${clears.label}' from '${FIELDS_TO_CLEAR}'.`,
			);
		}
		const rival = added.find((other) => other.field === field && other.label !== label);
		if (rival === undefined || (effect === 'edits' && rival.effect === 'edits')) continue;
		throw new UserFacingError(
			`'${label}' and '${rival.label}' can't be used together`,
			`Remove one of them from '${FIELDS_TO_UPDATE}'.`,
		);
	}
}

/** What a value without anything in it does; nothing is done where a field cannot be emptied. */
function changeByEmpty({ field, effect, form }: FieldParameter, entry: Entry): Change | undefined {
	// n8n makes an empty form of rows out of any expression, whatever it returns.
	const isEvaluated = isExpression(chosenIn(entry.entered)) && form.type !== 'fixedCollection';
	const isClearable = effect === 'replaces' && field.empty !== undefined;
	if (!isEvaluated) {
		const clear = `To clear it in the service, choose it in '${FIELDS_TO_CLEAR}'.`;
		throw new UserFacingError(
			`'${entry.label}' is empty`,
			`Enter a value, or remove the field.${isClearable ? ` ${clear}` : ''}`,
		);
	}
	if (entry.emptyValues === 'reject') throw emptyValueError(`'${entry.label}'`);
	return isClearable && entry.emptyValues === 'clear' ? setTo(field.empty) : undefined;
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
	// A switch that is off says the same as one that was not added.
	const isAdded = ({ name, effect }: FieldParameter) =>
		Object.hasOwn(values, name) && !(effect === 'omits' && /^false$/.test(String(values[name])));

	const read = UPDATE_PARAMETERS.filter(isAdded).map((parameter) => {
		const { name, label } = parameter;
		const value = values[name];
		const entry: Entry = { ...own, label, entered: entered[name] };
		const hasNothing = parameter.isEmpty?.(value) ?? isEmpty(chosenIn(value));
		const change = hasNothing ? changeByEmpty(parameter, entry) : parameter.read(value, entry);
		return { parameter, key: parameter.field.key, change };
	});
	const changes = read.flatMap(({ key, change }) => (change ? [{ key, ...change }] : []));
	const cleared = clearedFields(parameters);
	rejectConflicts(
		read.filter(({ change }) => change !== undefined).map(({ parameter }) => parameter),
		cleared,
	);
	for (const { key, rejectContradictions } of SETTABLE) {
		rejectContradictions?.(changes.filter((change) => change.key === key).filter(isListEdit));
	}
	return {
		changes: [...changes, ...cleared.map(({ key, empty }) => ({ key, ...setTo(empty) }))],
		kept: read.filter(({ change }) => change === undefined).map(({ key }) => key),
	};
}
