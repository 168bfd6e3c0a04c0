import { chosenIn, plainId } from './ids';
import { asObject, isObject, parseJson, pick } from './json';
import { describeValue, isEmpty, notExpected, UserFacingError } from './userFacingError';

/** A step and one of its users, or all of them if `user_id` is undefined. */
export interface StepSelection {
	step_id: number;
	user_id: number | undefined;
}

/** Of each, undefined if the row leaves it out, null if its expression returned nothing. */
type Row = readonly [step: unknown, user: unknown];

/** Whether an entered text is an expression. */
export function isExpression(entered: unknown): entered is string {
	return typeof entered === 'string' && entered.startsWith('=');
}

/** An ID that the service returned, as a number or its text; undefined for what can't be sent back exactly. */
function returnedId(value: unknown): number | undefined {
	const isDigits = typeof value === 'string' && /^-?\d+$/.test(value);
	const id = isDigits ? Number(value) : value;
	return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** An assignment as the service returned it; undefined if one of its IDs is not understood. */
export function toAssignment(entry: unknown): { step_id: number; user_id: number } | undefined {
	const { step_id: step, user_id: user } = asObject(entry);
	const [step_id, user_id] = [returnedId(step), returnedId(user)];
	return step_id === undefined || user_id === undefined ? undefined : { step_id, user_id };
}

function parseId(value: unknown, part: string, label: string): number {
	const id = plainId(value);
	if (id !== undefined) return id;
	throw new UserFacingError(
		isEmpty(value)
			? `'${part}' in '${label}' is empty`
			: `${describeValue(value)} is not a valid '${part}' in '${label}'`,
		"Choose one from the list, or enter its ID, e.g. 7. If you don't need the row, remove it.",
	);
}

function listOf(value: unknown, label: string): unknown[] {
	const list = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(list)) return list;
	const advice =
		'Add assignments, or enter an expression that returns a list like [{ "step_id": 7, "user_id": 12 }].';
	throw notExpected(value, `'${label}'`, 'a list of assignments', advice);
}

/** Where leaving out the user means all users, another key may be a misspelled one. */
function assertKnownKeys(entry: unknown, label: string): void {
	const known = ['step_id', 'stepId', 'user_id', 'userId'];
	const unknown = Object.keys(asObject(entry)).find((key) => !known.includes(key));
	if (unknown === undefined) return;
	throw new UserFacingError(
		`'${label}' contains an entry with the key "${unknown}"`,
		'Use only step_id and user_id. Leave out user_id to remove all users of the step.',
	);
}

function entryAt(list: unknown, index: number): unknown {
	return [list].flat()[index];
}

function rowOfForm(row: unknown, entered: unknown): Row {
	const cell = (key: string) => {
		const value = chosenIn(asObject(row)[key]);
		if (!isEmpty(value)) return value;
		return isExpression(chosenIn(asObject(entered)[key])) ? null : undefined;
	};
	return [cell('stepId'), cell('userId')];
}

function rowOfList(entry: unknown, isFromExpression: boolean, isUserOptional: boolean): Row {
	const isEvaluated = isFromExpression && (isObject(entry) || isEmpty(entry));
	const cell = (isOptional: boolean, ...keys: string[]) => {
		const values = Object.values(pick(asObject(entry), keys));
		if (values.length === 0 && (isOptional || !isEvaluated)) return undefined;
		if (!isEmpty(values[0])) return values[0];
		return isEvaluated ? null : '';
	};
	return [cell(false, 'step_id', 'stepId'), cell(isUserOptional, 'user_id', 'userId')];
}

/**
 * The step assignments of the form `{ assignment: [{ stepId, userId }], list: [{ assignments }] }`, where
 * `assignments` is a list, or its JSON text (docs/dev/service-interface.md#step-assignment). In `entered`,
 * expressions are as they stand, which tells rows that are empty from those whose expression returned nothing.
 */
export function parseStepAssignments(
	form: unknown,
	entered: unknown,
	label: string,
	isUserOptional: boolean,
): { selections: StepSelection[]; hasEmptyRows: boolean } {
	const { assignment = [], list = [] } = asObject(form);
	const { assignment: enteredRows, list: enteredLists } = asObject(entered);
	const rowsOfList = (row: unknown, index: number): Row[] => {
		const { assignments } = asObject(row);
		const isEvaluated = isExpression(asObject(entryAt(enteredLists, index)).assignments);
		if (isEvaluated && isEmpty(assignments)) return [[null, null]];
		const entries = listOf(assignments, label);
		if (isUserOptional) entries.forEach((entry) => assertKnownKeys(entry, label));
		return entries.map((each) => rowOfList(each, isEvaluated, isUserOptional));
	};
	const rows = [
		...listOf(assignment, label).map((row, index) => rowOfForm(row, entryAt(enteredRows, index))),
		...listOf(list, label).flatMap(rowsOfList),
	];
	const filled = rows.filter((row) => !row.includes(null));
	const selections = filled.map(([step, user]) => ({
		step_id: parseId(step, 'Step', label),
		user_id: isUserOptional && user === undefined ? undefined : parseId(user, 'User', label),
	}));
	return { selections, hasEmptyRows: filled.length < rows.length };
}
