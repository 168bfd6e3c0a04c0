import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { hasExpression } from '../../n8n/expressions';
import { chosenOption } from '../../n8n/parameters';
import { adviceOnNoId, chosenIn, plainId } from '../../values/ids';
import { asObject } from '../../values/json';
import {
	applyChange,
	assertConsistent,
	type AssignmentChange,
	parseAssignments,
	returnedAssignment,
	returnedAssignments,
	type StepAssignment,
	stepIdsIn,
} from '../../values/steps';
import { isEmpty } from '../../values/text';
import { notValid, UserFacingError } from '../../values/userFacingError';
import { BY_ID, fromList } from '../locators';
import { assertMeantEmpty, isEmptyInput } from './emptyValues';
import type { Change, ParameterInput, UpdateField } from './updateField';

/** In the order in which rows are applied: an added user stays, even if all others are removed. */
const ACTIONS = ['remove', 'reassign', 'add'] as const;

// Kept apart from the parameter, since a lint rule takes anything called `action` for an operation.
const ACTION_OPTIONS: INodePropertyOptions[] = [
	{
		name: 'Reassign',
		value: 'reassign',
		description: 'Replace all current users of the step with this user',
	},
	{ name: 'Add', value: 'add', description: 'Add this user to the current users of the step' },
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
	builderHint: { propertyHint: 'The key is action. Without it, the row reassigns the step.' },
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
	hint: 'From List shows only assigned users. With Remove, leave this empty to remove all users from the step.',
	description:
		"The user, from a list of those already assigned in the instance or by ID. The service can't list users, so look up other IDs in the step_assignments of instances they're assigned to.",
	builderHint: {
		propertyHint:
			'With remove, a missing userId means all users of the step. The key is userId, not user or user_id.',
	},
	modes: [fromList('searchUsers', { placeholder: 'Choose a user...' }), BY_ID],
};

const NO_CHOICE = { __rl: true, mode: 'list', value: '' };

const changeSteps: INodeProperties = {
	displayName: 'Change Step Assignments',
	name: 'changeSteps',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add change',
	// n8n drops a form without any rows.
	default: { change: [{ action: 'reassign', stepId: NO_CHOICE, userId: NO_CHOICE }] },
	description: 'Users to assign to steps, or to remove from them. All other assignments are kept.',
	options: [{ displayName: 'Change', name: 'change', values: [action, stepId, userId] }],
};

const replaceAll: INodeProperties = {
	displayName: 'Replace Step Assignments',
	name: 'stepAssignments',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.step_assignments }}',
	hint: 'Replaces all current assignments, unlike Change Step Assignments',
	description:
		'The new list of step assignments, as JSON or an expression that returns a list like [{ "step_id": 7, "user_id": 12 }]',
};

const ADD_ROW =
	'Add a row, or remove the field. Use an expression in each row, since n8n ignores an expression for the whole list.';
const FILL_IN_ROW = 'Fill in the whole row. To remove several users, use a row or a call for each.';

function parseRowId({ value, place }: { value: unknown; place: string }): number {
	const id = plainId(value);
	if (id !== undefined) return id;
	const advice =
		"Choose one from the list, or enter its ID, e.g. 7. If you don't need the row, remove it.";
	throw notValid(value, place, 'an ID', advice, adviceOnNoId(value));
}

/** A row; undefined if an expression returned nothing. Throws if that is invalid, as it is in part of a model's row. */
function parseRow(
	row: unknown,
	enteredRow: unknown,
	index: number,
	input: ParameterInput,
): AssignmentChange | undefined {
	const values = asObject(row);
	const cellOf = ({ displayName, name }: INodeProperties) => ({
		place: `'${displayName}' in row ${index + 1} of '${input.label}'`,
		value: chosenIn(values[name]),
		entered: chosenIn(asObject(enteredRow)[name]),
	});
	const [how, step, user] = [cellOf(action), cellOf(stepId), cellOf(userId)];
	const dynamic = [how, step, user].filter(({ entered }) => hasExpression(entered));
	const empty = dynamic.filter(({ value, entered }) => isEmptyInput(value, entered, input.isTool));
	const [absent] = empty;
	if (absent) {
		// Models also fill in the action of a row that they don't use.
		const isUnused = empty.includes(step) && empty.includes(user);
		const isPart = input.isTool && empty.length < dynamic.length && !isUnused;
		if (isPart) throw new UserFacingError(`${absent.place} is empty`, FILL_IN_ROW);
		for (const { place, entered } of empty) assertMeantEmpty(place, entered, input, false);
		return undefined;
	}
	const chosen = chosenOption(values.action, how.place, ACTIONS);
	return {
		action: chosen,
		step: parseRowId(step),
		user: chosen === 'remove' && isEmpty(user.value) ? undefined : parseRowId(user),
	};
}

/** Throws UserFacingError about steps of another instance, if the snapshot has those in use and so surely lists all. */
function assertInInstance(
	rows: readonly AssignmentChange[],
	assigned: StepAssignment[],
	instance: IDataObject,
) {
	const steps = stepIdsIn(instance.process_snapshot);
	const active = [instance.active_step_ids].flat().map(plainId);
	const inUse = [...active, ...assigned.map(({ step_id }) => step_id)];
	const isComplete = inUse.length > 0 && inUse.every((id) => id !== undefined && steps.has(id));
	if (!isComplete) return;
	const row = rows.find(({ step }) => !steps.has(step));
	if (row === undefined) return;
	throw new UserFacingError(
		`Step ${row.step} is not in instance ${String(instance.id)}`,
		'Choose a step of this instance, or enter its ID.',
		{
			builderAdvice: `'From List' shows the steps of one instance, which other instances may not have. To assign a step that the process snapshot doesn't list, use '${replaceAll.displayName}' with all assignments that should stay.`,
		},
	);
}

function parseRows(input: ParameterInput): Change | undefined {
	const enteredRows = [asObject(input.entered).change].flat();
	const all = [asObject(input.value).change ?? []].flat();
	if (all.length === 0) throw new UserFacingError(`'${input.label}' is empty`, ADD_ROW);
	const rows = all.flatMap((row, index) => parseRow(row, enteredRows[index], index, input) ?? []);
	if (rows.length === 0) return undefined;
	assertConsistent(rows, input.label);
	const inOrder = ACTIONS.flatMap((each) => rows.filter((row) => row.action === each));
	return {
		edit(current, instance) {
			const assigned = returnedAssignments(current);
			assertInInstance(rows, assigned, instance);
			return inOrder.reduce(applyChange, assigned);
		},
	};
}

export const stepAssignmentsField: UpdateField = {
	key: 'step_assignments',
	label: 'Step Assignments',
	clear: { value: [] },
	toSendable: returnedAssignment,
	form: replaceAll,
	parse: ({ value, label }) => ({ value: parseAssignments(value, label) }),
	edits: [{ form: changeSteps, parse: parseRows }],
};
