import { parseDeadline } from '../../values/deadline';
import { parseLocator } from '../../values/ids';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import { BY_ID, byUrl, fromList, PROCESS } from '../locators';
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
	effect: 'omits',
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
	form: {
		displayName: PROCESS.label,
		name: 'process',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		description:
			"The process to move the instance to. Required if Other Fields is set to Reset. The service can't list processes, so From List contains only the current one.",
		modes: [
			fromList('searchProcesses', {
				placeholder: 'Choose the current process...',
				hint: 'Only the current process is listed. To move the instance, use By ID or By URL.',
			}),
			BY_ID,
			byUrl(PROCESS),
		],
	},
	effect: 'replaces',
	read(value) {
		const path = `/${PROCESS.segment}/${parseLocator(value, PROCESS)}/`;
		return { valueAt: (baseUrl) => `${baseUrl}${path}` };
	},
};

const FIELDS: SettableField[] = [
	{
		key: 'process',
		name: 'process',
		parameters: [moveToProcess],
		words: /\bprocess\b/i,
		adviceOnKept:
			"To move the instance to another process, add 'Process' under 'Fields to Update'.",
	},
	{
		key: 'name',
		name: 'name',
		parameters: [replaceName, automaticNaming],
		empty: null,
		words: /\bnam(e|ing)\b/i,
		adviceOnKept:
			"If the process generates instance names, add 'Automatic Naming' under 'Fields to Update'.",
	},
	{
		key: 'deadline',
		name: 'deadline',
		parameters: [replaceDeadline],
		empty: null,
		words: /\bdeadline\b/i,
	},
	{
		key: 'priority',
		name: 'priority',
		parameters: [replacePriority],
		empty: null,
		words: /\bpriority\b/i,
	},
	tags,
	stepAssignments,
];

/** What clients can set: the body of an update holds nothing else. */
export const SETTABLE = FIELDS.map((field) => ({ ...field, label: INSTANCE_FIELDS[field.key] }));
export type Settable = (typeof SETTABLE)[number];

/** Everything under 'Fields to Update', in the order of use: an instance is rarely moved. */
export const UPDATE_PARAMETERS = [...SETTABLE.slice(1), ...SETTABLE.slice(0, 1)].flatMap((field) =>
	field.parameters.map((parameter) => {
		const { displayName: label, name } = parameter.form;
		return { ...parameter, field, label, name };
	}),
);
export type FieldParameter = (typeof UPDATE_PARAMETERS)[number];

/** Everything under 'Fields to Clear', and what is then sent. */
export const CLEARABLE = SETTABLE.flatMap(({ key, name, label, empty }) =>
	empty === undefined ? [] : [{ key, name, label, empty }],
);
