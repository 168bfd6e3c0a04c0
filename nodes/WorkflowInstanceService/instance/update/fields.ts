import { parseDeadline } from '../../values/deadline';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { parseLocator } from '../../values/ids';
import { INSTANCE_FIELDS, type InstanceField } from '../fields';
import { BY_ID, byUrl, listLocator, PROCESS } from '../locators';
import { isBlank, keepText, type SettableField, type UpdateParameter } from './settableField';
import { stepAssignments } from './stepAssignmentFields';
import { tags } from './tagFields';

const LONGEST_NAME = 255;

function parseName(value: unknown, label: string): string {
	if (!['string', 'number', 'boolean'].includes(typeof value)) {
		throw notExpected(value, `'${label}'`, 'text', 'Enter text.');
	}
	const text = String(value);
	const { length } = [...text];
	if (length <= LONGEST_NAME) return text;
	throw new UserFacingError(
		`'${label}' is ${length} characters long`,
		`Shorten it to ${LONGEST_NAME} characters or fewer, the most that the service accepts.`,
	);
}

const replaceName: UpdateParameter = {
	form: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Invoice 2026-118',
		description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
	},
	replaces: true,
	read: (value, { label }) => ({ set: parseName(value, label) }),
};

const automaticNaming: UpdateParameter = {
	form: {
		displayName: 'Automatic Naming',
		name: 'automaticNaming',
		type: 'boolean',
		default: true,
		description:
			'Whether the process generates instance names, so that no name is sent. Use this if the service rejects the name.',
	},
	read(value, { label }) {
		if (value === true || value === 'true') return { leaveOut: true };
		throw notExpected(value, `'${label}'`, 'true or false', 'Use true or false.');
	},
};

const replaceDeadline: UpdateParameter = {
	form: {
		displayName: 'Deadline',
		name: 'deadline',
		type: 'dateTime',
		default: '',
		description:
			"When the instance should be completed. Times without an offset use the workflow's time zone.",
		hint: "Uses the workflow's time zone. A date without a time means midnight.",
	},
	replaces: true,
	read: (value, { zone }) => ({ set: parseDeadline(value, zone) }),
};

const moveToProcess: UpdateParameter = {
	form: listLocator(
		{
			displayName: PROCESS.label,
			name: 'process',
			description:
				'The process to move the instance to. Required if Other Fields is set to Reset. To leave the instance where it is, choose its current process.',
		},
		'searchProcesses',
		[BY_ID, byUrl(PROCESS)],
	),
	read: (value) => ({ setResource: `/${PROCESS.segment}/${parseLocator(value, PROCESS)}/` }),
};

/** The values of the service, and the labels in the form. */
const PRIORITIES = new Map([
	['h', 'H'],
	['high', 'H'],
	['v', 'V'],
	['very high', 'V'],
]);

const replacePriority: UpdateParameter = {
	form: {
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'Regular', value: 'regular', description: 'Empty in the output' },
			{ name: 'High', value: 'H', description: 'H in the output' },
			{ name: 'Very High', value: 'V', description: 'V in the output' },
		],
		default: 'regular',
		description: 'The new priority of the instance',
	},
	replaces: true,
	read(value, { label }) {
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (text === 'regular') return { leaveOut: true };
		const priority = PRIORITIES.get(text);
		if (priority !== undefined) return { set: priority };
		throw notExpected(value, `'${label}'`, 'a priority', 'Use regular, H (High) or V (Very High).');
	},
};

/** A field that clients can set, with its key and label. */
export type Settable = SettableField & { key: InstanceField; label: string };

function settable(key: InstanceField, field: SettableField): Settable {
	return { ...field, key, label: INSTANCE_FIELDS[key] };
}

const asText = { keep: keepText, isUnfilled: isBlank };

/** What clients can set: the body of an update holds nothing else (docs/service-interface.md#update). */
export const SETTABLE: readonly Settable[] = [
	settable('process', {
		...asText,
		parameters: [moveToProcess],
		words: /\bprocess\b/i,
		adviceOnKept:
			"To move the instance to another process, add 'Process' under 'Fields to Update'.",
	}),
	settable('name', {
		...asText,
		parameters: [replaceName, automaticNaming],
		empty: null,
		words: /\bnam(e|ing)\b/i,
		adviceOnKept:
			"If the process generates instance names, add 'Automatic Naming' under 'Fields to Update'.",
	}),
	settable('deadline', {
		...asText,
		parameters: [replaceDeadline],
		empty: null,
		words: /\bdeadline\b/i,
	}),
	settable('priority', {
		...asText,
		parameters: [replacePriority],
		empty: null,
		words: /\bpriority\b/i,
	}),
	settable('tags', tags),
	settable('step_assignments', stepAssignments),
];

/** A parameter under 'Fields to Update', with the field that it changes. */
export interface FieldParameter extends UpdateParameter {
	name: string;
	label: string;
	field: Settable;
}

/** Everything under 'Fields to Update', in the order of the labels. */
export const UPDATE_PARAMETERS: readonly FieldParameter[] = SETTABLE.flatMap((field) =>
	field.parameters.map((parameter) => {
		const { displayName: label, name } = parameter.form;
		return { ...parameter, field, label, name };
	}),
).sort((a, b) => a.label.localeCompare(b.label));

/** A field under 'Fields to Clear'. */
export interface Clearable {
	/** Of the parameter that replaces its value. */
	name: string;
	key: InstanceField;
	label: string;
	empty: null | [];
}

/** Everything under 'Fields to Clear', in the order of the labels. */
export const CLEARABLE: readonly Clearable[] = UPDATE_PARAMETERS.flatMap(
	({ name, replaces, field: { key, label, empty } }) =>
		replaces && empty !== undefined ? [{ name, key, label, empty }] : [],
);
