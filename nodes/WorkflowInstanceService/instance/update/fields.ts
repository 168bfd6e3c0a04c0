import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../../n8n/parameters';
import { parseDeadline } from '../../values/deadline';
import { parseLocator } from '../../values/ids';
import {
	parseStepAssignments,
	type StepSelection,
	toAssignment,
} from '../../values/stepAssignments';
import { hasOnlyEmptyTags, parseTags } from '../../values/tags';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import type { InstanceField } from '../fields';
import { PROCESS } from '../locators';

export const LONGEST_NAME = 255;

/** What the user entered for a parameter under 'Fields to Update'. */
export interface ParameterValue extends Pick<Parameters, 'timezone'> {
	form: INodeProperties;
	label: string;
	value: unknown;
	/** The value with expressions as they stand. */
	entered: unknown;
	emptyValues: 'reject' | 'keep' | 'clear';
	/** Whether an AI agent filled in the expressions. */
	isTool: boolean;
}

/** What becomes of a list: tags, or step assignments, which are removed by the keys that are given. */
export interface ListEdit {
	adds: unknown[];
	removes: unknown[];
}

/** What becomes of a field: another value (undefined leaves it out), a URL of the service, or an edited list. */
export type Change = { value: GenericValue } | { path: string } | ListEdit;

/** The fields that are sent. */
export type Changes = ReadonlyMap<SettableField, Change | 'kept'>;

/** Returns undefined when expressions returned nothing. */
type Reader = (given: ParameterValue) => Change | undefined;

/** A field that clients can set (docs/dev/service-interface.md#update). */
export interface SettableField {
	key: InstanceField;
	/** Its name under 'Fields to Clear', and of the parameter that replaces its value. */
	name: string;
	/** What the service calls it when it rejects the value. */
	words: RegExp;
	/** What empties it in the service, `[]` for a list; without one it can't be. */
	empty?: null | [];
	/** An entry of the current list as it can be sent back; undefined if it can't. Default: a text. */
	keep?(entry: unknown): GenericValue;
	/** By the names of the parameters that change it. */
	readers: Record<string, Reader>;
	adviceOnKept?: string;
}

const readName: Reader = ({ value, label }) => {
	if (!['string', 'number', 'boolean'].includes(typeof value)) {
		throw notExpected(value, `'${label}'`, 'text', 'Enter text.');
	}
	const { length } = [...String(value)];
	if (length <= LONGEST_NAME) return { value: String(value) };
	throw new UserFacingError(
		`'${label}' is ${length} characters long`,
		`Shorten it to ${LONGEST_NAME} characters or fewer, the most that the service accepts.`,
	);
};

const readAutomaticNaming: Reader = ({ value, label }) => {
	if (value === true || value === 'true') return { value: undefined };
	throw notExpected(value, `'${label}'`, 'true or false', 'Use true or false.');
};

/** By the values of the form and its labels, in lower case. */
const PRIORITIES: IDataObject = { regular: undefined, h: 'H', high: 'H', v: 'V', 'very high': 'V' };

const readPriority: Reader = ({ value, label }) => {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (Object.hasOwn(PRIORITIES, text)) return { value: PRIORITIES[text] };
	throw notExpected(value, `'${label}'`, 'a priority', 'Use Regular, High (H) or Very High (V).');
};

const replace = (list: unknown[]): Change => ({ value: list });
const add = (entries: unknown[]): Change => ({ adds: entries, removes: [] });
const remove = (entries: unknown[]): Change => ({ adds: [], removes: entries });
const reassign = (rows: StepSelection[]): Change => ({
	adds: rows,
	removes: rows.map(({ step_id }) => ({ step_id })),
});

function tagReader(change: (tags: unknown[]) => Change): Reader {
	return ({ value, label }) =>
		hasOnlyEmptyTags(value) ? undefined : change(parseTags(value, label));
}

function assignmentReader(change: (rows: StepSelection[]) => Change): Reader {
	return ({ value, label, entered, emptyValues, isTool }) => {
		const parsed = parseStepAssignments(value, entered, label, change === remove);
		const { selections, hasEmptyRows } = parsed;
		// A list without the row would remove what the row is to keep.
		const isKept = change === replace ? emptyValues === 'keep' : selections.length === 0;
		if (hasEmptyRows && (isKept || emptyValues === 'reject')) return undefined;
		if (isTool && selections.length === 0) return undefined;
		return change(selections);
	};
}

/** What clients can set: the body of an update holds nothing else, in this order. */
export const SETTABLE: readonly SettableField[] = [
	{
		key: 'process',
		name: 'process',
		words: /\bprocess\b/i,
		readers: {
			process: ({ value }) => ({ path: `/${PROCESS.segment}/${parseLocator(value, PROCESS)}/` }),
		},
		adviceOnKept:
			"To move the instance to another process, add 'Process' under 'Fields to Update'.",
	},
	{
		key: 'name',
		name: 'name',
		words: /\bnam(e|ing)\b/i,
		empty: null,
		readers: { name: readName, automaticNaming: readAutomaticNaming },
		adviceOnKept:
			"If the process generates instance names, add 'Automatic Naming' under 'Fields to Update'.",
	},
	{
		key: 'deadline',
		name: 'deadline',
		words: /\bdeadline\b/i,
		empty: null,
		readers: { deadline: ({ value, timezone }) => ({ value: parseDeadline(value, timezone) }) },
	},
	{
		key: 'priority',
		name: 'priority',
		words: /\bpriority\b/i,
		empty: null,
		readers: { priority: readPriority },
	},
	{
		key: 'tags',
		name: 'tags',
		words: /\btags?\b/i,
		empty: [],
		readers: { addTags: tagReader(add), removeTags: tagReader(remove), tags: tagReader(replace) },
	},
	{
		key: 'step_assignments',
		name: 'stepAssignments',
		words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
		empty: [],
		keep: toAssignment,
		readers: {
			addStepAssignments: assignmentReader(add),
			removeStepAssignments: assignmentReader(remove),
			reassignSteps: assignmentReader(reassign),
			stepAssignments: assignmentReader(replace),
		},
	},
];

export const CLEARABLE = SETTABLE.filter(({ empty }) => empty !== undefined);
