import type { INodeProperties } from 'n8n-workflow';

import { asObject, isObject, pick } from '../../values/json';
import { parseStepAssignments, type StepSelection } from '../../values/stepAssignments';
import { hasOnlyEmptyTags, parseTags } from '../../values/tags';
import { UserFacingError } from '../../values/userFacingError';
import { BY_ID, fromList } from '../locators';
import { type Edit, emptyValueError, type SettableField } from './settableField';

/** Of equal entries the last one, in the place of the first. */
function withoutRepeats(list: unknown[]): unknown[] {
	return [...new Map(list.map((entry) => [JSON.stringify(entry), entry])).values()];
}

function add(entries: unknown[]): Edit {
	return (list) => withoutRepeats([...list, ...entries]);
}

/** A parameter of a list field; it replaces the list if it has no `edit`. */
interface ListParameter<T> {
	displayName: string;
	name: string;
	what: string;
	hint: string;
	edit?(entries: T[]): Edit;
}

const TAG_PARAMETERS: Array<ListParameter<string>> = [
	{
		displayName: 'Add Tags',
		name: 'addTags',
		what: 'Tags to add',
		hint: 'Current tags are kept',
		edit: add,
	},
	{
		displayName: 'Remove Tags',
		name: 'removeTags',
		what: 'Tags to remove',
		hint: 'All other tags are kept',
		edit: (tags) => (list) => list.filter((tag) => tags.every((each) => each !== tag)),
	},
	{
		displayName: 'Replace Tags',
		name: 'tags',
		what: 'The new tags',
		hint: 'Replaces all current tags. To keep them, use Add Tags',
	},
];

export const tags: SettableField = {
	key: 'tags',
	name: 'tags',
	words: /\btags?\b/i,
	parameters: TAG_PARAMETERS.map(({ what, edit, ...own }) => ({
		form: {
			...own,
			type: 'string',
			default: '',
			placeholder: 'e.g. urgent, finance',
			description: `${what}, separated by commas, or an expression that returns a list. ${own.hint}.`,
		},
		isEmpty: hasOnlyEmptyTags,
		read({ value, label }) {
			const parsed = parseTags(value, label);
			return edit ? { edit: edit(parsed) } : { value: parsed };
		},
	})),
	empty: [],
	keep: (value) =>
		Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : undefined,
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

const stepOf = (assignment: unknown) => asObject(assignment).step_id;

/** Removes current assignments. Whoever is added to the same step takes their place. */
function remove(rows: Array<Partial<StepSelection>>): Edit {
	return (list, current) => {
		const added = list.filter((entry) => !current.includes(entry));
		const successors = (entry: unknown) => added.filter((each) => stepOf(each) === stepOf(entry));
		const isRemoved = (entry: unknown) => {
			const { step_id: step, user_id: user } = asObject(entry);
			return rows.some(({ step_id, user_id = user }) => step_id === step && user_id === user);
		};
		return withoutRepeats(
			list.flatMap((entry) => (isRemoved(entry) ? successors(entry) : [entry])),
		);
	};
}

function reassign(rows: StepSelection[]): Edit {
	return (list, current) => {
		const steps = rows.map(({ step_id }) => ({ step_id }));
		const next = remove(steps)(add(rows)(list, current), current);
		const isShared = (step: number) => next.filter((entry) => stepOf(entry) === step).length > 1;
		const shared = steps.find(({ step_id }) => isShared(step_id));
		if (shared === undefined) return next;
		throw new UserFacingError(
			`'Reassign Steps' contains step ${shared.step_id}, which would get more than one user`,
			"A reassigned step can have only one user. Keep one of the rows for it in 'Reassign Steps' and 'Add Step Assignments'.",
		);
	};
}

const STEP_PARAMETERS: Array<ListParameter<StepSelection> & { isUserOptional?: boolean }> = [
	{
		displayName: 'Add Step Assignments',
		name: 'addStepAssignments',
		what: 'Users to assign to steps',
		hint: 'Current assignments are kept',
		edit: add,
	},
	{
		displayName: 'Remove Step Assignments',
		name: 'removeStepAssignments',
		what: 'Step assignments to remove',
		hint: 'Without a user, all users of the step are removed. All other assignments are kept',
		isUserOptional: true,
		edit: remove,
	},
	{
		displayName: 'Reassign Steps',
		name: 'reassignSteps',
		what: 'Steps to hand over to another user',
		hint: 'Replaces all current users of the step. All other assignments are kept',
		edit: reassign,
	},
	{
		displayName: 'Replace Step Assignments',
		name: 'stepAssignments',
		what: 'The new list of step assignments',
		hint: 'Replaces all current assignments. To keep them, use Add Step Assignments',
	},
];

export const stepAssignments: SettableField = {
	key: 'step_assignments',
	name: 'stepAssignments',
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
	parameters: STEP_PARAMETERS.map(({ what, hint, edit, isUserOptional = false, ...own }) => ({
		form: {
			...own,
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add assignment',
			// n8n drops a form without any rows.
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
		},
		isEmpty: (value) => Object.values(asObject(value)).flat().length === 0,
		read({ value, label, entered, emptyValues }) {
			const parsed = parseStepAssignments(value, entered, label, isUserOptional);
			const { selections, hasEmptyRows } = parsed;
			if (hasEmptyRows && emptyValues === 'reject') {
				throw emptyValueError(`'Step' or 'User' in '${label}'`);
			}
			// A list without the row would remove what the row is to keep.
			const isKept = edit ? selections.length === 0 : emptyValues === 'keep';
			if (hasEmptyRows && isKept) return undefined;
			return edit ? { edit: edit(selections) } : { value: selections };
		},
	})),
	empty: [],
	keep: (value) =>
		Array.isArray(value) && value.every(isObject)
			? value.map((entry) => pick(entry, ['step_id', 'user_id']))
			: undefined,
};
