import { parseJson } from './json';
import { asObject } from './objects';
import { describeValue, UserFacingError } from './userFacingError';

/** Which user does which step (docs/service-interface.md#step-assignment). */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

const LABEL = 'Step Assignments';

function wholeNumber(value: unknown, part: string): number {
	const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
	throw new UserFacingError(
		`'${part}' in '${LABEL}' is not an ID: ${describeValue(value)}`,
		'Enter a whole number above zero, e.g. 7.',
	);
}

function listOf(value: unknown): unknown[] {
	const list = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(list)) return list;
	throw new UserFacingError(
		`'${LABEL}' cannot be ${describeValue(value)}`,
		'Add assignments in the form, or a list by an expression that gives one, like [{ "step_id": 7, "user_id": 12 }].',
	);
}

/** n8n makes an empty form out of anything else that was saved for one, an expression for example. */
function entries(value: unknown): unknown[] {
	const { assignment = [], list = [] } = asObject(value);
	const lists = listOf(list).map((row) => asObject(row).assignments);
	return [...listOf(assignment), ...lists.flatMap(listOf)];
}

/**
 * Step assignments from the form, `{ assignment: [{ stepId, userId }], list: [{ assignments }] }`, or
 * from an expression. A list is an array, or its JSON text, of `{ step_id, user_id }` or
 * `{ stepId, userId }`.
 *
 * @throws UserFacingError naming 'Step Assignments' when it is no list of these, or an id no whole number
 */
export function parseStepAssignments(value: unknown): StepAssignment[] {
	return entries(value).map((entry) => {
		const { step_id, stepId, user_id, userId } = asObject(entry);
		return {
			step_id: wholeNumber(step_id ?? stepId, 'Step ID'),
			user_id: wholeNumber(user_id ?? userId, 'User ID'),
		};
	});
}
