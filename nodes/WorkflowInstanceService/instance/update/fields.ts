import type { IDataObject } from 'n8n-workflow';

import { parseDeadline } from '../../values/deadline';
import { parseStepAssignments, parseStepSelections } from '../../values/stepAssignments';
import { asObject } from '../../values/json';
import { parseTags } from '../../values/tags';
import { notExpected, UserFacingError } from '../../values/userFacingError';

export type ListEntry = string | IDataObject;

/** What changes the current list of a field instead of replacing it. */
export interface Amendment {
	/** The key of the body. */
	key: string;
	/** Entries to add, unless they are there. */
	add: ListEntry[];
	/** Whether an entry is to be removed; `isNew` if it is one to add. */
	removes(entry: ListEntry, isNew: boolean): boolean;
}

/** What the user wants changed, in the service's terms (docs/service-interface.md#instance). */
export interface Changes {
	/** The values to send. */
	set: IDataObject;
	/** The keys to leave out of the body even if the instance has a value. */
	leaveOut: string[];
	amendments: Amendment[];
}

export const NO_CHANGES: Changes = { set: {}, leaveOut: [], amendments: [] };

/** The keys of the body that 'Fields to Update' is about; `body.ts` knows how to keep each. */
export type UpdateKey = 'deadline' | 'name' | 'priority' | 'step_assignments' | 'tags';

interface UpdateField {
	label: string;
	key: UpdateKey;
	/** What empties it in the service; null values are taken for that where null does. */
	empty?: null | [];
	/** Whether it changes the current list instead of replacing it. */
	amends?: boolean;
	/** @throws UserFacingError naming the label when the value cannot be used */
	read(value: unknown, zone: string, entered: unknown): Partial<Changes>;
}

const LONGEST_NAME = 255;
/** The values of the service, and the labels in the form. */
const PRIORITIES: Record<string, string> = { h: 'H', high: 'H', v: 'V', 'very high': 'V' };

function parseName(value: unknown): string {
	if (!['string', 'number', 'boolean'].includes(typeof value)) {
		throw notExpected(value, "'Name'", 'text', 'Enter text.');
	}
	const name = String(value);
	const { length } = [...name];
	if (length <= LONGEST_NAME) return name;
	throw new UserFacingError(
		`'Name' is ${length} characters long`,
		`Shorten it to ${LONGEST_NAME} characters or fewer: the service takes no more.`,
	);
}

function readPriority(value: unknown): Partial<Changes> {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (text === 'regular') return { leaveOut: ['priority'] };
	if (Object.hasOwn(PRIORITIES, text)) return { set: { priority: PRIORITIES[text] } };
	throw notExpected(value, "'Priority'", 'a priority', 'Use regular, H (High) or V (Very High).');
}

function readAutomaticNaming(value: unknown): Partial<Changes> {
	if (value === true || value === 'true') return { leaveOut: ['name'] };
	throw notExpected(value, "'Automatic Naming'", 'true or false', 'Use true or false.');
}

function adding(key: string, add: Amendment['add']): Partial<Changes> {
	return { amendments: [{ key, add, removes: () => false }] };
}

function removing(key: string, removes: Amendment['removes']): Partial<Changes> {
	return { amendments: [{ key, add: [], removes }] };
}

/** The fields of 'Fields to Update', by the name of their parameter. */
export const UPDATE_FIELDS: Record<string, UpdateField> = {
	addStepAssignments: {
		label: 'Add Step Assignments',
		key: 'step_assignments',
		amends: true,
		read: (value) =>
			adding(
				'step_assignments',
				parseStepAssignments(value, 'Add Step Assignments').map((row) => ({ ...row })),
			),
	},
	addTags: {
		label: 'Add Tags',
		key: 'tags',
		amends: true,
		read: (value) => adding('tags', parseTags(value, 'Add Tags')),
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
	removeStepAssignments: {
		label: 'Remove Step Assignments',
		key: 'step_assignments',
		amends: true,
		read: (value, _zone, entered) => {
			const rows = parseStepSelections(value, 'Remove Step Assignments', entered);
			const isMeant = ({ step_id: step, user_id: user }: IDataObject) =>
				rows.some(
					({ step_id, user_id }) => step === step_id && (user_id === undefined || user === user_id),
				);
			// A step is given to somebody else by removing whoever has it, and adding the new one.
			return removing('step_assignments', (entry, isNew) => !isNew && isMeant(asObject(entry)));
		},
	},
	removeTags: {
		label: 'Remove Tags',
		key: 'tags',
		amends: true,
		read: (value) => {
			const tags = parseTags(value, 'Remove Tags');
			return removing('tags', (tag) => tags.some((each) => each === tag));
		},
	},
	stepAssignments: {
		label: 'Step Assignments',
		key: 'step_assignments',
		empty: [],
		read: (value) => ({
			set: { step_assignments: parseStepAssignments(value, 'Step Assignments') },
		}),
	},
	tags: {
		label: 'Tags',
		key: 'tags',
		empty: [],
		read: (value) => ({ set: { tags: parseTags(value, 'Tags') } }),
	},
};
