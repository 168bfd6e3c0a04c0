import { plainId, wholeNumber } from './ids';
import { asObject, parseJson } from './json';
import { describeValue, isEmpty } from './text';
import { distinct, listIn } from './textList';
import { notValid, UserFacingError } from './userFacingError';

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`, `task_list`. */
const STEPS = /(?:step|task)s?(?:_?list)?$/i;

function namedIn(value: unknown): Array<[id: number, name: string]> {
	const { id, ...fields } = asObject(value);
	const name = NAMES.map((key) => fields[key]).find(
		(each): each is string => typeof each === 'string' && !isEmpty(each),
	);
	if (name === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return [];
	return [[id, name.trim()]];
}

function contentOf(snapshot: unknown): unknown {
	return typeof snapshot === 'string' ? parseJson(snapshot) : snapshot;
}

/** The entries of lists of steps in a snapshot of any layout (docs/dev/service-interface.md#undocumented). */
function stepEntriesIn(snapshot: unknown): unknown[] {
	const entries: unknown[] = [];
	// Visits all values with their keys, however they are nested.
	JSON.stringify(contentOf(snapshot), (key, value: unknown) => {
		if (Array.isArray(value) && STEPS.test(key)) for (const each of value) entries.push(each);
		return value;
	});
	return entries;
}

/** The names of steps by their IDs. */
export function stepNamesIn(snapshot: unknown): Map<number, string> {
	return new Map(stepEntriesIn(snapshot).flatMap(namedIn));
}

/** The IDs of steps, even of those without names. */
export function stepIdsIn(snapshot: unknown): Set<number> {
	return new Set(stepEntriesIn(snapshot).flatMap((each) => plainId(asObject(each).id) ?? []));
}

/** The name of the process itself in its snapshot; undefined when it has no name. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return new Map(namedIn(contentOf(snapshot))).get(processId);
}

/** A user of a step (docs/dev/service-interface.md#step-assignment). */
export type StepAssignment = { step_id: number; user_id: number };

function assignmentOf(entry: unknown, idOf: (value: unknown) => number | undefined) {
	const { step_id: step, user_id: user } = asObject(entry);
	const [step_id, user_id] = [idOf(step), idOf(user)];
	return step_id === undefined || user_id === undefined ? undefined : { step_id, user_id };
}

/** An assignment as the service returned it; undefined if one of its IDs is not understood. */
export function returnedAssignment(entry: unknown): StepAssignment | undefined {
	return assignmentOf(entry, wholeNumber);
}

/** The assignments in what the service returned, without those that are not understood. */
export function returnedAssignments(list: unknown): StepAssignment[] {
	return [list].flat().flatMap((entry) => returnedAssignment(entry) ?? []);
}

/** All assignments of a list, or of its JSON text, without repeats. One invalid entry makes it invalid. */
export function parseAssignments(value: unknown, label: string): StepAssignment[] {
	const list = listIn(value);
	const advice = 'Enter JSON like [{ "step_id": 7, "user_id": 12 }].';
	if (!Array.isArray(list)) {
		const builderAdvice = 'Or use an expression that returns such a list.';
		throw notValid(value, `'${label}'`, 'a list of assignments', advice, builderAdvice);
	}
	const assignments = list.map((entry: unknown, index) => {
		const assignment = assignmentOf(entry, plainId);
		if (assignment !== undefined) return assignment;
		const text = describeValue(JSON.stringify(entry));
		throw new UserFacingError(
			`Entry ${index + 1} of '${label}' needs a valid step_id and user_id: ${text}`,
			advice,
		);
	});
	return distinct(assignments, (each) => `${each.step_id} ${each.user_id}`);
}

/** A row of 'Change Step Assignments': what to do with a user of a step, or with all of them if there is no user. */
export interface AssignmentChange {
	readonly action: 'add' | 'reassign' | 'remove';
	readonly step: number;
	readonly user: number | undefined;
}

/**
 * Throws UserFacingError about changes that contradict each other: a reassigned step has one user, and nobody is both
 * added and removed.
 */
export function assertConsistent(rows: readonly AssignmentChange[], label: string): void {
	const areContradictory = (one: AssignmentChange, other: AssignmentChange) => {
		const isSameUser = one.user === other.user;
		if (one.step !== other.step || (isSameUser && one.action === other.action)) return false;
		return isSameUser || [one.action, other.action].includes('reassign');
	};
	const row = rows.find((one) => rows.some((other) => areContradictory(one, other)));
	if (row === undefined) return;
	throw new UserFacingError(
		`The rows of '${label}' contradict each other for step ${row.step}`,
		'Keep one row for each user that you add or remove, and only one row for a step that you reassign.',
	);
}

/** The list after one change. A reassigned step stays in its place. */
export function applyChange(list: StepAssignment[], change: AssignmentChange): StepAssignment[] {
	const { action, step, user } = change;
	const isOfStep = (each: StepAssignment) => each.step_id === step;
	const isMeant = (each: StepAssignment) =>
		isOfStep(each) && (user === undefined || each.user_id === user);
	if (action === 'remove' || user === undefined) return list.filter((each) => !isMeant(each));
	const assignment = { step_id: step, user_id: user };
	if (action === 'add') return list.some(isMeant) ? list : [...list, assignment];
	const place = list.some(isOfStep) ? list.findIndex(isOfStep) : list.length;
	return list.filter((each) => !isOfStep(each)).toSpliced(place, 0, assignment);
}
