import { chosenIn } from './ids';
import { asObject, parseJson } from './json';
import { describeValue, isEmpty, notExpected, UserFacingError } from './userFacingError';

/** The user assigned to a step (docs/dev/service-interface.md#step-assignment). */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

/** A step and one of its users, or all of them if `user_id` is undefined. */
export interface StepSelection {
	step_id: number;
	user_id: number | undefined;
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

/** @param valueIn what a value of the row stands for */
function rowFrom(row: unknown, valueIn: (entered: unknown) => unknown) {
	const { step_id, stepId, user_id, userId } = asObject(row);
	const hasUser = ['user_id', 'userId'].some((key) => Object.hasOwn(asObject(row), key));
	return { step: valueIn(step_id ?? stepId), user: valueIn(user_id ?? userId), hasUser };
}

/** n8n makes an empty form out of anything else that was saved for one, for example an expression. */
function rowsOf(value: unknown, label: string) {
	const { assignment = [], list = [] } = asObject(value);
	const lists = listOf(list, label).flatMap((row) => listOf(asObject(row).assignments, label));
	return [
		...listOf(assignment, label).map((row) => rowFrom(row, chosenIn)),
		...lists.map((row) => rowFrom(row, (entered) => entered)),
	];
}

/**
 * Step assignments from the form, `{ assignment: [{ stepId, userId }], list: [{ assignments }] }`,
 * or from an expression. The form may contain resource locators. A list is an array, or its JSON
 * text, of `{ step_id, user_id }` or `{ stepId, userId }`.
 *
 * @param label the label of the parameter
 * @throws UserFacingError naming the label when it is no list of these, or an ID no whole number
 */
export function parseStepAssignments(value: unknown, label: string): StepAssignment[] {
	return rowsOf(value, label).map(({ step, user }) => ({
		step_id: wholeNumber(step, 'Step', label),
		user_id: wholeNumber(user, 'User', label),
	}));
}

function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

/**
 * Like {@link parseStepAssignments}, but the user may be left open: by a row of the form in which
 * nothing was entered, or an entry of a list without a user, but not by an expression without a value.
 *
 * @param entered the form as it was entered, with expressions as they stand
 */
export function parseStepSelections(
	value: unknown,
	label: string,
	entered: unknown,
): StepSelection[] {
	const { assignment = [] } = asObject(entered);
	const forms = listOf(assignment, label).map(asObject);
	return rowsOf(value, label).map(({ step, user, hasUser }, index) => {
		const isOpen = !isExpression(chosenIn(forms[index]?.userId)) && (!hasUser || user === '');
		return {
			step_id: wholeNumber(step, 'Step', label),
			user_id: isOpen ? undefined : wholeNumber(user, 'User', label),
		};
	});
}
