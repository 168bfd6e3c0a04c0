import { plainId } from './ids';
import { isObject, parseJson } from './json';
import { describeValue, notValid, trimmed, UserFacingError } from './userFacingError';

/** A user of a step (docs/dev/service-interface.md#step-assignment). */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

/** The ID of a step or a user, as a number or its text; undefined for anything else. */
export function numericId(value: unknown): number | undefined {
	return plainId(typeof value === 'string' ? trimmed(value) : value);
}

/** An entry of a list, whatever other keys it has; undefined if one of its IDs is missing or not a valid one. */
export function toAssignment(entry: unknown): StepAssignment | undefined {
	if (!isObject(entry)) return undefined;
	const [step_id, user_id] = [numericId(entry.step_id), numericId(entry.user_id)];
	return step_id === undefined || user_id === undefined ? undefined : { step_id, user_id };
}

/** All assignments of a list, or of its JSON text, without repeats. One invalid entry rejects the value. */
export function parseAssignments(value: unknown, label: string): StepAssignment[] {
	const list = typeof value === 'string' ? parseJson(value) : value;
	const advice =
		'Enter an expression or JSON that returns a list like [{ "step_id": 7, "user_id": 12 }].';
	if (!Array.isArray(list)) throw notValid(value, `'${label}'`, 'a list of assignments', advice);
	const assignments = new Map<string, StepAssignment>();
	for (const [index, entry] of list.entries()) {
		const assignment = toAssignment(entry);
		if (assignment === undefined) {
			const text = isObject(entry) ? JSON.stringify(entry) : describeValue(entry);
			throw new UserFacingError(
				`Entry ${index + 1} of '${label}' needs a valid 'step_id' and 'user_id': ${describeValue(text)}`,
				advice,
			);
		}
		assignments.set(`${assignment.step_id} ${assignment.user_id}`, assignment);
	}
	return [...assignments.values()];
}
