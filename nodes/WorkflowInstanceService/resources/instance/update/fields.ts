import type { IDataObject } from 'n8n-workflow';

import { parseDeadline } from '../../../values/deadline';
import { parseStepAssignments } from '../../../values/stepAssignments';
import { parseTags } from '../../../values/tags';
import { describeValue, Trouble } from '../../../values/trouble';

/** What the user wants changed, in the words of the interface (section 2). */
export interface Changes {
	/** The values to send. */
	set: IDataObject;
	/** The keys to leave out of the body even if the instance has a value. */
	leaveOut: string[];
	/** Whether the present tags stay, but for the next two, which may be empty for an item. */
	amendsTags: boolean;
	addTags: string[];
	removeTags: string[];
}

export const NO_CHANGES: Changes = {
	set: {},
	leaveOut: [],
	amendsTags: false,
	addTags: [],
	removeTags: [],
};

interface UpdateField {
	label: string;
	/** The key of the body that it is about. */
	key: string;
	/** What empties it in the service; null values are taken for that where null does. */
	empty?: null | [];
	/** Whether it changes the present value instead of replacing it. */
	amends?: boolean;
	/** @throws Trouble naming the label when the value cannot be used */
	read(value: unknown, zone: string): Partial<Changes>;
}

const LONGEST_NAME = 255;
const PRIORITIES: Record<string, string> = { h: 'H', v: 'V' };

function parseName(value: unknown): string {
	if (!['string', 'number', 'boolean'].includes(typeof value)) {
		throw new Trouble(`'Name' cannot be ${describeValue(value)}`, 'Enter a text.');
	}
	const name = String(value);
	const { length } = [...name];
	if (length <= LONGEST_NAME) return name;
	throw new Trouble(
		`'Name' has ${length} characters`,
		`Shorten it: the service takes up to ${LONGEST_NAME}.`,
	);
}

function readPriority(value: unknown): Partial<Changes> {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (text === 'regular') return { leaveOut: ['priority'] };
	if (Object.hasOwn(PRIORITIES, text)) return { set: { priority: PRIORITIES[text] } };
	throw new Trouble(
		`'Priority' cannot be ${describeValue(value)}`,
		'Use regular, H (High) or V (Very High).',
	);
}

function readAutomaticNaming(value: unknown): Partial<Changes> {
	if (value === true || value === 'true') return { leaveOut: ['name'] };
	throw new Trouble(`'Automatic Naming' cannot be ${describeValue(value)}`, 'Use true or false.');
}

/** The fields of 'Fields to Update', by the name of their parameter. */
export const UPDATE_FIELDS: Record<string, UpdateField> = {
	addTags: {
		label: 'Add Tags',
		key: 'tags',
		amends: true,
		read: (value) => ({ amendsTags: true, addTags: parseTags(value, 'Add Tags') }),
	},
	automaticNaming: { label: 'Automatic Naming', key: 'name', read: readAutomaticNaming },
	deadline: {
		label: 'Deadline',
		key: 'deadline',
		empty: null,
		read: (value, zone) => ({ set: { deadline: parseDeadline(value, zone) } }),
	},
	name: {
		label: 'Name',
		key: 'name',
		empty: null,
		read: (value) => ({ set: { name: parseName(value) } }),
	},
	priority: { label: 'Priority', key: 'priority', empty: null, read: readPriority },
	removeTags: {
		label: 'Remove Tags',
		key: 'tags',
		amends: true,
		read: (value) => ({ amendsTags: true, removeTags: parseTags(value, 'Remove Tags') }),
	},
	stepAssignments: {
		label: 'Step Assignments',
		key: 'step_assignments',
		empty: [],
		read: (value) => ({ set: { step_assignments: parseStepAssignments(value) } }),
	},
	tags: {
		label: 'Tags',
		key: 'tags',
		empty: [],
		read: (value) => ({ set: { tags: parseTags(value, 'Tags') } }),
	},
};
