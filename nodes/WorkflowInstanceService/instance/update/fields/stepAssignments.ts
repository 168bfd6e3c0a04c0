import type { GenericValue, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { isExpression } from '../../../n8n/expressions';
import { chosenOption } from '../../../n8n/parameters';
import { chosenIn } from '../../../values/ids';
import { asObject } from '../../../values/json';
import {
	enteredId,
	parseAssignments,
	returnedAssignment,
	type StepAssignment,
} from '../../../values/stepAssignments';
import { describeValue, isEmpty, UserFacingError } from '../../../values/userFacingError';
import { BY_ID, fromList } from '../../locators';
import { type Entry, keepList, saysNothing, type UpdateField } from '../field';

const ACTIONS = ['reassign', 'add', 'remove'] as const;

/** One row of 'Change Step Assignments'. Without a user, it's about all users of the step. */
interface Row {
	action: (typeof ACTIONS)[number];
	step: number;
	user: number | undefined;
}

const ACTION_OPTIONS: INodePropertyOptions[] = [
	{
		name: 'Reassign',
		value: 'reassign',
		description: 'Assign the step to this user instead of all its current users',
	},
	{ name: 'Add', value: 'add', description: 'Assign this user to the step as well' },
	{
		name: 'Remove',
		value: 'remove',
		description: 'Remove this user from the step, or all its users if no user is chosen',
	},
];

const action: INodeProperties = {
	displayName: 'Action',
	name: 'action',
	type: 'options',
	options: ACTION_OPTIONS,
	default: 'reassign',
	description: 'What to do with the users of the step',
};

const stepId: INodeProperties = {
	displayName: 'Step',
	name: 'stepId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		"The step, from a list of the instance's steps or by ID. Get returns assigned steps in step_assignments. For active_step_ids, set Output to Raw.",
	modes: [fromList('searchSteps', { placeholder: 'Choose a step...' }), BY_ID],
};

const userId: INodeProperties = {
	displayName: 'User',
	name: 'userId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	hint: 'With Remove, leave this empty to remove all users of the step',
	description:
		"The user, from a list of those already assigned in the instance or by ID. The service can't list users, so look up other IDs in the step_assignments of instances they're assigned to.",
	modes: [fromList('searchUsers', { placeholder: 'Choose a user...' }), BY_ID],
};

const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

const changeSteps: INodeProperties = {
	displayName: 'Change Step Assignments',
	name: 'changeSteps',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add change',
	// n8n drops a form without any rows.
	default: {
		change: [{ action: 'reassign', stepId: NOTHING_CHOSEN, userId: NOTHING_CHOSEN }],
	},
	description: 'Users to assign to steps, or to remove from them. All other assignments are kept.',
	options: [{ displayName: 'Change', name: 'change', values: [action, stepId, userId] }],
};

const replaceAll: INodeProperties = {
	displayName: 'Replace Step Assignments',
	name: 'stepAssignments',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.step_assignments }}',
	hint: 'Replaces all current assignments. To keep them, use Change Step Assignments',
	description:
		'The new list of step assignments, as JSON or an expression that returns a list like [{ "step_id": 7, "user_id": 12 }]',
};

function readRow(row: unknown, entered: unknown, { label, isTool }: Entry): Row | undefined {
	const fields = asObject(row);
	const values = {
		action: fields.action,
		stepId: chosenIn(fields.stepId),
		userId: chosenIn(fields.userId),
	};
	const hasNoValue = Object.entries(values).some(
		([key, value]) =>
			isExpression(chosenIn(asObject(entered)[key])) &&
			(isTool ? saysNothing(value) : isEmpty(value)),
	);
	if (hasNoValue) return undefined;
	const idOf = (value: unknown, part: string): number => {
		const id = enteredId(value);
		if (id !== undefined) return id;
		const place = `'${part}' in '${label}'`;
		throw new UserFacingError(
			isEmpty(value) ? `${place} is empty` : `${describeValue(value)} is not a valid ${place}`,
			"Choose one from the list, or enter its ID, e.g. 7. If you don't need the row, remove it.",
		);
	};
	const chosen = chosenOption(values.action, action.displayName, ACTIONS);
	const isForAll = chosen === 'remove' && isEmpty(values.userId);
	return {
		action: chosen,
		step: idOf(values.stepId, stepId.displayName),
		user: isForAll ? undefined : idOf(values.userId, userId.displayName),
	};
}

/** How a row contradicts the others: nobody is both added and removed, and a reassigned step has one user. */
function contradiction(
	{ action: chosen, step, user }: Row,
	reassigned: ReadonlyMap<number, number | undefined>,
	removed: ReadonlySet<string>,
): string | undefined {
	if (chosen === 'add' && removed.has(`${step} ${user}`)) {
		return `both adds user ${user} to step ${step} and removes this user from it`;
	}
	if (!reassigned.has(step)) return undefined;
	if (chosen === 'add') return `both reassigns step ${step} and adds a user to it`;
	if (chosen === 'remove') return `both reassigns step ${step} and removes users from it`;
	return reassigned.get(step) === user ? undefined : `assigns more than one user to step ${step}`;
}

function assertConsistent(rows: readonly Row[], label: string): void {
	const rowsTo = (chosen: Row['action']) => rows.filter(({ action: each }) => each === chosen);
	const reassigned = new Map(rowsTo('reassign').map(({ step, user }) => [step, user]));
	const removed = new Set(rowsTo('remove').map(({ step, user }) => `${step} ${user}`));
	for (const row of rows) {
		const what = contradiction(row, reassigned, removed);
		if (what === undefined) continue;
		throw new UserFacingError(
			`'${label}' ${what}`,
			'Keep one row for each user that you add or remove, and only one row for a step that you reassign.',
		);
	}
}

/** The next list. A reassigned step stays at the place where it stood; what is not named stays as it is. */
function changed(current: readonly StepAssignment[], rows: readonly Row[]): StepAssignment[] {
	const reassigned = new Map<number, StepAssignment>();
	const removed = new Set<string>();
	const assigned: StepAssignment[] = [];
	for (const { action: chosen, step: step_id, user: user_id } of rows) {
		if (chosen === 'remove') removed.add(`${step_id} ${user_id ?? 'all'}`);
		if (chosen === 'remove' || user_id === undefined) continue;
		assigned.push({ step_id, user_id });
		if (chosen === 'reassign') reassigned.set(step_id, { step_id, user_id });
	}
	const keyOf = ({ step_id, user_id }: StepAssignment) => `${step_id} ${user_id}`;
	const named = new Set(assigned.map(keyOf));
	const unlisted = new Set(named);
	const next = current
		.filter((each) => !removed.has(`${each.step_id} all`) && !removed.has(keyOf(each)))
		.map((each) => reassigned.get(each.step_id) ?? each);
	return [...next, ...assigned].filter(
		(each) => !named.has(keyOf(each)) || unlisted.delete(keyOf(each)),
	);
}

export const stepAssignmentsField: UpdateField = {
	key: 'step_assignments',
	clearAs: 'stepAssignments',
	empty: [],
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
	keep: (value) => keepList(value, returnedAssignment),
	parameters: [
		{
			form: changeSteps,
			replaces: false,
			read(entry) {
				const { change: rows } = asObject(entry.value);
				const { change: entered } = asObject(entry.entered);
				const all = [rows].flat().map((row, index) => readRow(row, [entered].flat()[index], entry));
				const filled = all.filter((row) => row !== undefined);
				const hasEmptyRow = filled.length < all.length;
				if (filled.length === 0 || (hasEmptyRow && entry.emptyValues === 'reject'))
					return undefined;
				assertConsistent(filled, entry.label);
				const edit = (current: GenericValue[]) =>
					changed(
						current.map(returnedAssignment).filter((each) => each !== undefined),
						filled,
					);
				return { edit };
			},
		},
		{
			form: replaceAll,
			replaces: true,
			read: ({ value, label }) => ({ value: parseAssignments(value, label) }),
		},
	],
};
