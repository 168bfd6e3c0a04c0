import type { INodeProperties } from 'n8n-workflow';

import { asObject, isObject, pick } from '../../values/json';
import { parseStepAssignments, type StepSelection } from '../../values/stepAssignments';
import { UserFacingError } from '../../values/userFacingError';
import { BY_ID, listLocator } from '../locators';
import {
	type Change,
	emptyValueError,
	type Entry,
	type ListEdit,
	type ListEntry,
	type SettableField,
	setTo,
	type UpdateParameter,
} from './settableField';

const stepId = listLocator(
	{
		displayName: 'Step',
		name: 'stepId',
		description:
			"The step, from a list of the instance's steps or by ID. Get returns assigned steps in step_assignments. For active_step_ids, set Output to Raw.",
	},
	'searchSteps',
	[BY_ID],
);

const userId = listLocator(
	{
		displayName: 'User',
		name: 'userId',
		description:
			"The user, from a list of those already assigned in the instance or by ID. The service can't list users, so look up other IDs in the step_assignments of instances they're assigned to.",
	},
	'searchUsers',
	[BY_ID],
);

const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

/** Rows of steps and users. It starts with one: n8n drops a form without any. */
function form(
	own: Pick<INodeProperties, 'description' | 'displayName' | 'name'>,
	hint: string,
	listHint = hint,
): INodeProperties {
	return {
		...own,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add assignment',
		default: { assignment: [{ stepId: NOTHING_CHOSEN, userId: NOTHING_CHOSEN }] },
		options: [
			{
				displayName: 'Assignment',
				name: 'assignment',
				values: [stepId, { ...userId, hint }],
			},
			{
				// n8n keeps no expression for a whole form of rows, so a list has a field of its own.
				displayName: 'List by Expression',
				name: 'list',
				values: [
					{
						displayName: 'Assignments',
						name: 'assignments',
						type: 'string',
						default: '',
						placeholder: 'e.g. {{ $json.step_assignments }}',
						hint: listHint,
						description: 'An expression that returns a list like [{ "step_id": 7, "user_id": 12 }]',
					},
				],
			},
		],
	};
}

/** A parameter of rows; those in which an expression returned nothing are as if they were not there. */
function parameterOfRows(
	effect: UpdateParameter['effect'],
	ownForm: INodeProperties,
	changeTo: (selections: StepSelection[]) => Change,
	isUserOptional = false,
): UpdateParameter {
	const read = (value: unknown, { label, entered, emptyValues }: Entry) => {
		const { selections, hasEmptyRows } = parseStepAssignments(
			value,
			entered,
			label,
			isUserOptional,
		);
		if (hasEmptyRows && emptyValues === 'reject') {
			throw emptyValueError(`'Step' or 'User' in '${label}'`);
		}
		// A list without the row would remove what the row is to keep.
		const isKept = effect === 'replaces' ? emptyValues === 'keep' : selections.length === 0;
		return hasEmptyRows && isKept ? undefined : changeTo(selections);
	};
	const isEmpty = (value: unknown) => Object.values(asObject(value)).flat().length === 0;
	return { form: ownForm, effect, isEmpty, read };
}

const entriesFor = (selections: StepSelection[]) => selections.map((row) => ({ ...row }));

function isOfSameStep(entry: ListEntry, other: ListEntry): boolean {
	return asObject(entry).step_id === asObject(other).step_id;
}

const replaceStepAssignments = parameterOfRows(
	'replaces',
	form(
		{
			displayName: 'Replace Step Assignments',
			name: 'stepAssignments',
			description: 'The new list of step assignments. Replaces all current assignments.',
		},
		'Replaces all current assignments. To keep them, use Add Step Assignments.',
	),
	(selections) => setTo(entriesFor(selections)),
);

const addStepAssignments = parameterOfRows(
	'edits',
	form(
		{
			displayName: 'Add Step Assignments',
			name: 'addStepAssignments',
			description: 'Users to assign to steps. Current assignments are kept.',
		},
		'Current assignments are kept',
	),
	(selections) => ({ add: entriesFor(selections), removes: () => false }),
);

const removeStepAssignments = parameterOfRows(
	'edits',
	form(
		{
			displayName: 'Remove Step Assignments',
			name: 'removeStepAssignments',
			description:
				'Step assignments to remove. Leave the user empty to remove all users from a step.',
		},
		'Leave empty to remove all users from the step. All other assignments are kept.',
		'An entry without user_id removes all users from the step. All other assignments are kept.',
	),
	(selections) => ({
		add: [],
		removes(entry) {
			const { step_id: step, user_id: user } = asObject(entry);
			return selections.some(
				({ step_id, user_id }) => step === step_id && (user_id === undefined || user === user_id),
			);
		},
	}),
	true,
);

const reassignSteps = parameterOfRows(
	'edits',
	form(
		{
			displayName: 'Reassign Steps',
			name: 'reassignSteps',
			description:
				'Steps to hand over to another user, who replaces all current users of the step. All other assignments are kept.',
		},
		'Replaces all current users of the step. All other assignments are kept.',
	),
	(selections) => {
		const add = entriesFor(selections);
		const removes = (entry: ListEntry) => add.some((row) => isOfSameStep(row, entry));
		return { add, removes, isExclusive: true };
	},
);

function assignsSomebodyElse({ add }: ListEdit, entry: ListEntry): boolean {
	const { user_id: user } = asObject(entry);
	return add.some((other) => isOfSameStep(other, entry) && asObject(other).user_id !== user);
}

function rejectContradictions(edits: Array<ListEdit & { label: string }>): void {
	for (const own of edits.filter(({ isExclusive }) => isExclusive)) {
		for (const entry of own.add) {
			const rival = edits.find(
				(edit) => assignsSomebodyElse(edit, entry) || (edit !== own && edit.removes(entry)),
			);
			if (rival === undefined) continue;
			const step = String(asObject(entry).step_id);
			throw new UserFacingError(
				rival === own
					? `'${own.label}' contains step ${step} more than once, with different users`
					: `Step ${step} is in '${own.label}' and also in '${rival.label}'`,
				'A reassigned step can have only one user. Remove the step from the other rows.',
			);
		}
	}
}

export const stepAssignments: SettableField = {
	key: 'step_assignments',
	name: 'stepAssignments',
	parameters: [addStepAssignments, removeStepAssignments, reassignSteps, replaceStepAssignments],
	empty: [],
	keep: (value) =>
		Array.isArray(value) && value.every(isObject)
			? value.map((entry) => pick(entry, ['step_id', 'user_id']))
			: undefined,
	// Whoever is added to a step takes the place of the user who is removed from it.
	edit(list, { add, removes }) {
		const kept = list.flatMap((entry) =>
			removes(entry) ? add.filter((row) => isOfSameStep(row, entry)) : [entry],
		);
		return [...kept, ...add];
	},
	rejectContradictions,
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
};
