import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { asObject, isObject, pick } from '../../values/json';
import { parseStepAssignments, parseStepSelections } from '../../values/stepAssignments';
import type { SettableField, UpdateParameter } from './settableField';

const stepId: INodeProperties = {
	displayName: 'Step ID',
	name: 'stepId',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 7',
	description: 'The number of the step in the process',
};

const userId: INodeProperties = {
	displayName: 'User ID',
	name: 'userId',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 12',
	description: 'The number of the person in the service',
};

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
		default: { assignment: [{ stepId: '', userId: '' }] },
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
						description: 'An expression that gives a list like [{ "step_id": 7, "user_id": 12 }]',
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
			displayName: 'Step Assignments',
			name: 'stepAssignments',
			description: 'Who works on which step. Replaces all current assignments.',
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
			description: 'Users to assign to steps, in addition to the current ones',
		},
		'The current assignments stay',
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
				'Assignments to remove: of a step and a user, or of a step regardless of the user',
		},
		'Leave it empty to remove every user of the step. All other assignments stay.',
		'An entry without a user removes every user of the step. All other assignments stay.',
	),
	amends: true,
	read(value, { label, entered }) {
		const rows = parseStepSelections(value, label, entered);
		const isMeant = ({ step_id: step, user_id: user }: IDataObject) =>
			rows.some(
				({ step_id, user_id }) => step === step_id && (user_id === undefined || user === user_id),
			);
		// A step is given to somebody else by removing whoever has it, and adding the new one.
		return { add: [], removes: (entry, isNew) => !isNew && isMeant(asObject(entry)) };
	},
};

export const stepAssignments: SettableField = {
	parameters: [replaceStepAssignments, addStepAssignments, removeStepAssignments],
	empty: [],
	isUnfilled: (value) => Object.values(asObject(value)).flat().length === 0,
	keep: (value) =>
		Array.isArray(value) && value.every(isObject)
			? value.map((entry) => pick(entry, ['step_id', 'user_id']))
			: undefined,
	words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
};
