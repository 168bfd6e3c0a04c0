import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { chosenOption } from '../../n8n/parameters';
import { parseDeadline } from '../../values/deadline';
import { idFromUrl, parseLocator, PROCESS } from '../../values/ids';
import { trimmed } from '../../values/text';
import { parseText, parseTexts } from '../../values/textList';
import { UserFacingError } from '../../values/userFacingError';
import { BY_ID, byUrl, fromList } from '../locators';
import type { Change, FieldParameter, UpdateField } from './updateField';
import { stepAssignmentsField } from './stepAssignmentsField';

const LONGEST_NAME = 255;

export const nameField: UpdateField = {
	key: 'name',
	label: 'Name',
	clear: { value: null },
	form: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Invoice 2026-118',
		description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
	},
	parse({ value, label }) {
		const name = parseText(value, label);
		const { length } = [...name];
		if (length <= LONGEST_NAME) return { value: name };
		throw new UserFacingError(
			`'${label}' is ${length} characters long`,
			`Shorten it to ${LONGEST_NAME} characters or fewer, the most that the service accepts.`,
		);
	},
};

const deadlineField: UpdateField = {
	key: 'deadline',
	label: 'Deadline',
	clear: { value: null },
	// The same moment may be written in several time zones.
	compareAs: (value) => DateTime.fromISO(String(value), { zone: 'UTC' }).toISO(),
	form: {
		displayName: 'Deadline',
		name: 'deadline',
		type: 'dateTime',
		default: '',
		description:
			"When the instance should be completed. Times without an offset use the workflow's time zone.",
		hint: "Uses the workflow's time zone. A date without a time means 00:00 at the start of that day.",
	},
	parse: ({ value, label, timezone }) => ({ value: parseDeadline(value, label, timezone) }),
};

/** By the labels and values in the form. For Regular, the key is left out. */
const PRIORITIES: IDataObject = { Regular: undefined, High: 'H', 'Very High': 'V', H: 'H', V: 'V' };

/** A forgotten choice must not lower a priority. */
const NOT_CHOSEN = '';

const priorityField: UpdateField = {
	key: 'priority',
	label: 'Priority',
	clear: { value: null },
	form: {
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'Regular', value: 'regular', description: 'Returned as null' },
			{ name: 'High', value: 'H', description: 'Returned as H' },
			{ name: 'Very High', value: 'V', description: 'Returned as V' },
		],
		allowArbitraryValues: true,
		default: NOT_CHOSEN,
		description:
			'The new priority of the instance. An expression may return Regular, High (H) or Very High (V).',
	},
	parse({ value, label }) {
		const priority = chosenOption(value, `'${label}'`, Object.keys(PRIORITIES));
		return { value: PRIORITIES[priority] };
	},
};

export const processField: UpdateField = {
	key: 'process',
	label: PROCESS.label,
	compareAs: (value) => idFromUrl(value, PROCESS),
	form: {
		displayName: PROCESS.label,
		name: 'process',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		description:
			"The process to move the instance to. The service can't list processes, so From List contains only the current one.",
		modes: [
			fromList('searchProcesses', {
				placeholder: 'Choose the current process...',
				hint: 'Only the current process is listed. To move the instance, use By ID or By URL.',
			}),
			BY_ID,
			byUrl(PROCESS),
		],
	},
	parse({ value, baseUrl }) {
		const id = parseLocator(value, PROCESS, baseUrl);
		return { value: `${baseUrl}/${PROCESS.segment}/${id}/` };
	},
};

function tagParameter(
	form: { displayName: string; name: string; hint: string },
	what: string,
	changeOf: (tags: string[]) => Change,
): FieldParameter {
	return {
		form: {
			...form,
			type: 'string',
			default: '',
			placeholder: 'e.g. urgent, finance',
			description: `${what}, separated by commas, or an expression that returns a list. ${form.hint}.`,
		},
		parse({ value, label }) {
			const tags = parseTexts(value, label);
			return tags.length > 0 ? changeOf(tags) : undefined;
		},
	};
}

const addTags = tagParameter(
	{ displayName: 'Add Tags', name: 'addTags', hint: 'Current tags are kept' },
	'Tags to add',
	(tags) => ({
		edit(current) {
			const present = new Set(current.map((tag) => String(tag).normalize()));
			return [...current, ...tags.filter((tag) => !present.has(tag.normalize()))];
		},
	}),
);

const removeTags = tagParameter(
	{ displayName: 'Remove Tags', name: 'removeTags', hint: 'All other tags are kept' },
	'Tags to remove',
	(tags) => ({
		edit(current) {
			// A tag is also found with the blanks that Get may show around it, or with its accents encoded in another way.
			const unwanted = new Set(tags.map((tag) => tag.normalize()));
			return current.filter((tag) => !unwanted.has(trimmed(String(tag)).normalize()));
		},
	}),
);

const tagsField: UpdateField = {
	...tagParameter(
		{
			displayName: 'Replace Tags',
			name: 'tags',
			hint: 'Replaces all current tags, unlike Add Tags',
		},
		'The new tags',
		(tags) => ({ value: tags }),
	),
	key: 'tags',
	label: 'Tags',
	clear: { value: [] },
	edits: [addTags, removeTags],
};

/** What clients can set, in the order of the form: an instance is rarely moved. An update's body contains only these. */
export const FIELDS: readonly UpdateField[] = [
	nameField,
	deadlineField,
	priorityField,
	tagsField,
	stepAssignmentsField,
	processField,
];
