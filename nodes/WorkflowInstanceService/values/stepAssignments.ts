import { chosenIn } from './ids';
import { asObject, isObject, parseJson } from './json';
import { describeValue, isEmpty, notExpected, UserFacingError } from './userFacingError';

/**
 * A step and one of its users, or all of them if `user_id` is undefined
 * (docs/dev/service-interface.md#step-assignment).
 */
export interface StepSelection {
	step_id: number;
	user_id: number | undefined;
}

/** A value in a row. */
interface Cell {
	value: unknown;
	/** Whether it comes from an expression. */
	isEvaluated: boolean;
	/** Whether the row leaves it out. */
	isAbsent: boolean;
}

interface Row {
	step: Cell;
	user: Cell;
}

/** Whether an entered text is an expression. */
export function isExpression(entered: unknown): entered is string {
	return typeof entered === 'string' && entered.startsWith('=');
}

function wholeNumber(value: unknown, part: string, label: string): number {
	const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
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

function rowOfForm(row: unknown, entered: unknown): Row {
	const cell = (key: string): Cell => {
		const value = chosenIn(asObject(row)[key]);
		const isEvaluated = isExpression(chosenIn(asObject(entered)[key]));
		return { value, isEvaluated, isAbsent: isEmpty(value) && !isEvaluated };
	};
	return { step: cell('stepId'), user: cell('userId') };
}

function rowOfList(entry: unknown, isFromExpression: boolean): Row {
	const row = asObject(entry);
	const isEvaluated = isFromExpression && (isObject(entry) || isEmpty(entry));
	const cell = (...keys: string[]): Cell => {
		const key = keys.find((each) => Object.hasOwn(row, each));
		const value = key === undefined ? undefined : row[key];
		return { value, isEvaluated, isAbsent: key === undefined };
	};
	return { step: cell('step_id', 'stepId'), user: cell('user_id', 'userId') };
}

const EMPTY_ROW: Row = rowOfList(null, true);

function rowsOf(form: unknown, entered: unknown, label: string): Row[] {
	const { assignment = [], list = [] } = asObject(form);
	const { assignment: assignments, list: lists } = asObject(entered);
	return [
		...listOf(assignment, label).map((row, index) => rowOfForm(row, Object(assignments)[index])),
		...listOf(list, label).flatMap((row, index) => {
			const { assignments: value } = asObject(row);
			const isEvaluated = isExpression(asObject(Object(lists)[index]).assignments);
			if (isEvaluated && isEmpty(value)) return [EMPTY_ROW];
			return listOf(value, label).map((entry) => rowOfList(entry, isEvaluated));
		}),
	];
}

/**
 * The step assignments of the form `{ assignment: [{ stepId, userId }], list: [{ assignments }] }`. The
 * rows may have resource locators; a list is an array, or its JSON text, of `{ step_id, user_id }`.
 *
 * @param entered the form as it was entered, with expressions as they stand
 * @param label the label of the parameter
 * @param isUserOptional whether a row may leave out the user, and then means all users of the step
 * @returns the rows, and whether there were others, in which an expression returned nothing
 * @throws UserFacingError naming the label when it is no list of these, or an ID no whole number
 */
export function parseStepAssignments(
	form: unknown,
	entered: unknown,
	label: string,
	isUserOptional: boolean,
): { selections: StepSelection[]; hasEmptyRows: boolean } {
	const isLeftOpen = ({ isAbsent }: Cell) => isUserOptional && isAbsent;
	const isEmptyCell = ({ value, isEvaluated }: Cell) => isEvaluated && isEmpty(value);
	const rows = rowsOf(form, entered, label);
	const filled = rows.filter(
		({ step, user }) => !isEmptyCell(step) && (isLeftOpen(user) || !isEmptyCell(user)),
	);
	const selections = filled.map(({ step, user }) => ({
		step_id: wholeNumber(step.value, 'Step', label),
		user_id: isLeftOpen(user) ? undefined : wholeNumber(user.value, 'User', label),
	}));
	return { selections, hasEmptyRows: filled.length < rows.length };
}
