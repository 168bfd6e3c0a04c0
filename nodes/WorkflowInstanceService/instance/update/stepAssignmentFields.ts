import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { asObject, isObject, pick } from '../../values/json';
import { parseStepAssignments, parseStepSelections } from '../../values/stepAssignments';
import { UserFacingError } from '../../values/userFacingError';
import { BY_ID, listLocator } from '../locators';
import type { LabeledAmendment, ListEntry, SettableField, UpdateParameter } from './settableField';

const stepId = listLocator(
	{
		displayName: 'Step',
		name: 'stepId',
		description:
			"The step, from a list of the instance's steps or by ID. Get returns step IDs in active_step_ids and step_assignments when Output is set to Raw.",
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

const read = (value: unknown, label: string) =>
	parseStepAssignments(value, label).map((row) => ({ ...row }));

const replaceStepAssignments: UpdateParameter = {
	form: form(
		{
			displayName: 'Replace Step Assignments',
			name: 'stepAssignments',
			description: 'The new list of step assignments. Replaces all current assignments.',
		},
		'Replaces all current assignments. To keep them, use Add Step Assignments.',
	),
	replaces: true,
	read: (value, { label }) => ({ set: read(value, label) }),
};

const addStepAssignments: UpdateParameter = {
	form: form(
		{
			displayName: 'Add Step Assignments',
			name: 'addStepAssignments',
			description: 'Users to assign to steps. Current assignments are kept.',
		},
		'Current assignments are kept',
	),
	amends: true,
	read: (value, { label }) => ({ add: read(value, label), removes: () => false }),
};

const removeStepAssignments: UpdateParameter = {
	form: form(
		{
			displayName: 'Remove Step Assignments',
			name: 'removeStepAssignments',
			description:
				'Step assignments to remove. Leave the user empty to remove all users from a step.',
		},
		'Leave empty to remove all users from the step. All other assignments are kept.',
		'An entry without user_id removes all users from the step. All other assignments are kept.',
	),
	amends: true,
	read(value, { label, entered }) {
		const rows = parseStepSelections(value, label, entered);
		const isMeant = ({ step_id: step, user_id: user }: IDataObject) =>
			rows.some(
				({ step_id, user_id }) => step === step_id && (user_id === undefined || user === user_id),
			);
		// Removing a step's users and adding another one reassigns it, so what is added must stay.
		return { add: [], removes: (entry, isNew) => !isNew && isMeant(asObject(entry)) };
	},
};

const reassignSteps: UpdateParameter = {
	form: form(
		{
			displayName: 'Reassign Steps',
			name: 'reassignSteps',
			description:
				'Steps to hand over to another user, who replaces all current users of the step. All other assignments are kept.',
		},
		'Replaces all current users of the step. All other assignments are kept.',
	),
	amends: true,
	read(value, { label }) {
		const add = read(value, label);
		const removes = (entry: ListEntry, isNew: boolean) =>
			!isNew && add.some((row) => isOfSameStep(row, entry));
		return { add, removes, isExclusive: true };
	},
};

function isOfSameStep(entry: ListEntry, other: ListEntry): boolean {
	return asObject(entry).step_id === asObject(other).step_id;
}

function assignsSomebodyElse({ add }: LabeledAmendment, entry: ListEntry): boolean {
	const { user_id: user } = asObject(entry);
	return add.some((other) => isOfSameStep(other, entry) && asObject(other).user_id !== user);
}

function rejectContradictions(amendments: LabeledAmendment[]): void {
	for (const own of amendments.filter(({ isExclusive }) => isExclusive)) {
		for (const entry of own.add) {
			const { step_id: step } = asObject(entry);
			if (assignsSomebodyElse(own, entry)) {
				throw new UserFacingError(
					`'${own.label}' contains step ${step} more than once, with different users`,
					'A reassigned step can have only one user. Keep one of the rows.',
				);
			}
			const rival = amendments.find(
				(other) =>
					other !== own && (other.removes(entry, false) || assignsSomebodyElse(other, entry)),
			);
			if (rival === undefined) continue;
			throw new UserFacingError(
				`Step ${step} is in '${own.label}' and also in '${rival.label}'`,
				'A reassigned step can have only one user. Remove the step from one of the two.',
			);
		}
	}
}

export const stepAssignments: SettableField = {
	parameters: [replaceStepAssignments, addStepAssignments, removeStepAssignments, reassignSteps],
	empty: [],
	isUnfilled: (value) => Object.values(asObject(value)).flat().length === 0,
	takesPlaceOf: isOfSameStep,
	rejectContradictions,
	keep: (value) =>
		Array.isArray(value) && value.every(isObject)
			? value.map((entry) => pick(entry, ['step_id', 'user_id']))
			: undefined,
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
};
