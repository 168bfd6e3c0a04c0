import type { INodeProperties } from 'n8n-workflow';

import { asObject, isObject, pick } from '../../values/json';
import { parseStepAssignments, type StepSelection } from '../../values/stepAssignments';
import { UserFacingError } from '../../values/userFacingError';
import { BY_ID, fromList } from '../locators';
import {
	type Change,
	emptyValueError,
	type ListEntry,
	type SettableField,
	setTo,
	type UpdateParameter,
} from './settableField';

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
	description:
		"The user, from a list of those already assigned in the instance or by ID. The service can't list users, so look up other IDs in the step_assignments of instances they're assigned to.",
	modes: [fromList('searchUsers', { placeholder: 'Choose a user...' }), BY_ID],
};

const assignments: INodeProperties = {
	displayName: 'Assignments',
	name: 'assignments',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.step_assignments }}',
	description: 'An expression that returns a list like [{ "step_id": 7, "user_id": 12 }]',
};

const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

type Own = Record<'displayName' | 'hint' | 'name', string>;

/** Rows of steps and users. They start with one: n8n drops a form without any. */
function formOfRows({ hint, ...own }: Own, what: string): INodeProperties {
	return {
		...own,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add assignment',
		default: { assignment: [{ stepId: NOTHING_CHOSEN, userId: NOTHING_CHOSEN }] },
		description: `${what}. ${hint}.`,
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
				values: [{ ...assignments, hint }],
			},
		],
	};
}

/** A parameter of rows; those in which an expression returned nothing are as if they were not there. */
function rowsParameter(
	effect: UpdateParameter['effect'],
	form: INodeProperties,
	changeTo: (selections: StepSelection[]) => Change,
	isUserOptional = false,
): UpdateParameter {
	return {
		form,
		effect,
		isEmpty: (value) => Object.values(asObject(value)).flat().length === 0,
		read(value, { label, entered, emptyValues }) {
			const parsed = parseStepAssignments(value, entered, label, isUserOptional);
			const { selections, hasEmptyRows } = parsed;
			if (!hasEmptyRows) return changeTo(selections);
			if (emptyValues === 'reject') throw emptyValueError(`'Step' or 'User' in '${label}'`);
			// A list without the row would remove what the row is to keep.
			const isKept = effect === 'replaces' ? emptyValues === 'keep' : selections.length === 0;
			return isKept ? undefined : changeTo(selections);
		},
	};
}

const entriesFor = (selections: StepSelection[]) => selections.map((row) => ({ ...row }));

function isOfSameStep(entry: ListEntry, other: ListEntry): boolean {
	return asObject(entry).step_id === asObject(other).step_id;
}

const addStepAssignments = rowsParameter(
	'edits',
	formOfRows(
		{
			displayName: 'Add Step Assignments',
			name: 'addStepAssignments',
			hint: 'Current assignments are kept',
		},
		'Users to assign to steps',
	),
	(selections) => ({ add: entriesFor(selections), removes: () => false }),
);

const removeStepAssignments = rowsParameter(
	'edits',
	formOfRows(
		{
			displayName: 'Remove Step Assignments',
			name: 'removeStepAssignments',
			hint: 'Without a user, all users of the step are removed. All other assignments are kept',
		},
		'Step assignments to remove',
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

const reassignSteps = rowsParameter(
	'edits',
	formOfRows(
		{
			displayName: 'Reassign Steps',
			name: 'reassignSteps',
			hint: 'Replaces all current users of the step. All other assignments are kept',
		},
		'Steps to hand over to another user',
	),
	(selections) => {
		const add = entriesFor(selections);
		const removes = (entry: ListEntry) => add.some((row) => isOfSameStep(row, entry));
		return { add, removes, isExclusive: true };
	},
);

const replaceStepAssignments = rowsParameter(
	'replaces',
	formOfRows(
		{
			displayName: 'Replace Step Assignments',
			name: 'stepAssignments',
			hint: 'Replaces all current assignments. To keep them, use Add Step Assignments',
		},
		'The new list of step assignments',
	),
	(selections) => setTo(entriesFor(selections)),
);

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
	rejectContradictions(edits) {
		const added = edits.flatMap(({ add }) => add).map(asObject);
		const reassigned = edits.filter(({ isExclusive }) => isExclusive).flatMap(({ add }) => add);
		for (const { step_id: step, user_id: user } of reassigned.map(asObject)) {
			if (added.every(({ step_id, user_id }) => step !== step_id || user === user_id)) continue;
			throw new UserFacingError(
				`'Reassign Steps' contains step ${String(step)}, which would get more than one user`,
				"A reassigned step can have only one user. Keep one of the rows for it in 'Reassign Steps' and 'Add Step Assignments'.",
			);
		}
	},
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
};
