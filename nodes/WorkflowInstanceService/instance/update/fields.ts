import { parseDeadline } from '../../values/deadline';
import { parseLocator } from '../../values/ids';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import { BY_ID, byUrl, listLocator, PROCESS } from '../locators';
import { type SettableField, setTo, type UpdateParameter } from './settableField';
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
	effect: 'replaces',
	read: (value, { label }) => setTo(parseName(value, label)),
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
	effect: 'other',
	read(value, { label }) {
		if (value === true || value === 'true') return setTo(undefined);
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
	effect: 'replaces',
	read: (value, { zone }) => setTo(parseDeadline(value, zone)),
};

/** By the values of the form and its labels, in lower case. */
const PRIORITIES = new Map([
	['regular', undefined],
	['h', 'H'],
	['high', 'H'],
	['v', 'V'],
	['very high', 'V'],
]);

/** A forgotten choice must not lower a priority. */
const NOT_CHOSEN = '';

const replacePriority: UpdateParameter = {
	form: {
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'Regular', value: 'regular', description: 'Null in the output' },
			{ name: 'High', value: 'H', description: 'H in the output' },
			{ name: 'Very High', value: 'V', description: 'V in the output' },
		],
		allowArbitraryValues: true,
		default: NOT_CHOSEN,
		description:
			'The new priority of the instance. An expression may return Regular, High (H) or Very High (V).',
	},
	effect: 'replaces',
	read(value, { label }) {
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (PRIORITIES.has(text)) return setTo(PRIORITIES.get(text));
		const advice = 'Use Regular, High (H) or Very High (V).';
		throw notExpected(value, `'${label}'`, 'a priority', advice);
	},
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
	effect: 'replaces',
	read(value) {
		const path = `/${PROCESS.segment}/${parseLocator(value, PROCESS)}/`;
		return { valueAt: (baseUrl) => `${baseUrl}${path}` };
	},
};

/** A text as it was read. */
function keepText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

const name: SettableField = {
	key: 'name',
	name: 'name',
	parameters: [replaceName, automaticNaming],
	empty: null,
	keep: keepText,
	words: /\bnam(e|ing)\b/i,
	adviceOnKept:
		"If the process generates instance names, add 'Automatic Naming' under 'Fields to Update'.",
};

const deadline: SettableField = {
	key: 'deadline',
	name: 'deadline',
	parameters: [replaceDeadline],
	empty: null,
	keep: keepText,
	words: /\bdeadline\b/i,
};

const priority: SettableField = {
	key: 'priority',
	name: 'priority',
	parameters: [replacePriority],
	empty: null,
	keep: keepText,
	words: /\bpriority\b/i,
};

const process: SettableField = {
	key: 'process',
	name: 'process',
	parameters: [moveToProcess],
	keep: keepText,
	words: /\bprocess\b/i,
	adviceOnKept: "To move the instance to another process, add 'Process' under 'Fields to Update'.",
};

const labeled = (field: SettableField) => ({ ...field, label: INSTANCE_FIELDS[field.key] });

/** What clients can set, with its label: the body of an update holds nothing else. */
export const SETTABLE = [process, name, deadline, priority, tags, stepAssignments].map(labeled);
export type Settable = (typeof SETTABLE)[number];

/** A parameter under 'Fields to Update', with the field that it changes. */
export interface FieldParameter extends UpdateParameter {
	name: string;
	label: string;
	field: Settable;
}

/** Everything under 'Fields to Update', in the order of use: an instance is rarely moved. */
export const UPDATE_PARAMETERS: readonly FieldParameter[] = [
	...SETTABLE.slice(1),
	...SETTABLE.slice(0, 1),
].flatMap((field) =>
	field.parameters.map((parameter) => {
		const { displayName: label, name } = parameter.form;
		return { ...parameter, field, label, name };
	}),
);

/** Everything under 'Fields to Clear', and what is then sent. */
export const CLEARABLE = SETTABLE.flatMap(({ key, name, label, empty }) =>
	empty === undefined ? [] : [{ name, key, label, empty }],
);
export type Clearable = (typeof CLEARABLE)[number];
