import { parseDeadline } from '../../values/deadline';
import { parseLocator } from '../../values/ids';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { BY_ID, byUrl, fromList, PROCESS } from '../locators';
import { stepAssignments, tags } from './listFields';
import type { Entry, SettableField } from './settableField';

const LONGEST_NAME = 255;

function parseName({ value, label }: Entry): string {
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

function parsePriority({ value, label }: Entry): string | undefined {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (PRIORITIES.has(text)) return PRIORITIES.get(text);
	throw notExpected(value, `'${label}'`, 'a priority', 'Use Regular, High (H) or Very High (V).');
}

/** What clients can set: the body of an update holds nothing else, in this order. */
export const SETTABLE: readonly SettableField[] = [
	{
		key: 'process',
		name: 'process',
		words: /\bprocess\b/i,
		parameters: [
			{
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
				read: ({ value }) => ({ path: `/${PROCESS.segment}/${parseLocator(value, PROCESS)}/` }),
			},
		],
		adviceOnKept:
			"To move the instance to another process, add 'Process' under 'Fields to Update'.",
	},
	{
		key: 'name',
		name: 'name',
		words: /\bnam(e|ing)\b/i,
		parameters: [
			{
				form: {
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Invoice 2026-118',
					description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
				},
				read: (entry) => ({ value: parseName(entry) }),
			},
			{
				form: {
					displayName: 'Automatic Naming',
					name: 'automaticNaming',
					type: 'boolean',
					default: true,
					description:
						'Whether the process generates instance names, so that no name is sent. Use this if the service rejects the name.',
				},
				read({ value, label }) {
					if (value === true || value === 'true') return { value: undefined };
					throw notExpected(value, `'${label}'`, 'true or false', 'Use true or false.');
				},
			},
		],
		empty: null,
		adviceOnKept:
			"If the process generates instance names, add 'Automatic Naming' under 'Fields to Update'.",
	},
	{
		key: 'deadline',
		name: 'deadline',
		words: /\bdeadline\b/i,
		parameters: [
			{
				form: {
					displayName: 'Deadline',
					name: 'deadline',
					type: 'dateTime',
					default: '',
					description:
						"When the instance should be completed. Times without an offset use the workflow's time zone.",
					hint: "Uses the workflow's time zone. A date without a time means midnight.",
				},
				read: ({ value, zone }) => ({ value: parseDeadline(value, zone) }),
			},
		],
		empty: null,
	},
	{
		key: 'priority',
		name: 'priority',
		words: /\bpriority\b/i,
		parameters: [
			{
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
				read: (entry) => ({ value: parsePriority(entry) }),
			},
		],
		empty: null,
	},
	tags,
	stepAssignments,
];

/** The forms under 'Fields to Update', in the order of use: an instance is rarely moved. */
export const FORMS = [...SETTABLE.slice(1), ...SETTABLE.slice(0, 1)].flatMap(({ parameters }) =>
	parameters.map(({ form }) => form),
);

/** What is under 'Fields to Clear'. */
export const CLEARABLE = SETTABLE.filter(({ empty }) => empty !== undefined);
