import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../n8n/parameters';
import { parseJson, pick } from '../values/json';
import { notExpected } from '../values/userFacingError';

/** All fields of an instance (docs/service-interface.md#instance), with their labels. */
const FIELDS: Record<string, string> = {
	aborted_time: 'Aborted Time',
	active_step_ids: 'Active Step IDs',
	completed_time: 'Completed Time',
	deadline: 'Deadline',
	id: 'ID',
	last_updated_time: 'Last Updated Time',
	name: 'Name',
	priority: 'Priority',
	process: 'Process',
	process_snapshot: 'Process Snapshot',
	public_url: 'Public URL',
	stage: 'Stage',
	started_time: 'Started Time',
	step_assignments: 'Step Assignments',
	step_deadlines: 'Step Deadlines',
	tags: 'Tags',
	url: 'URL',
};

/** The most used fields, in the order in which people look at them. */
const SIMPLIFIED = [
	'id',
	'name',
	'stage',
	'deadline',
	'priority',
	'tags',
	'started_time',
	'completed_time',
	'aborted_time',
];

/** The fields that the interface carries as text, and in which services put JSON. */
const SNAPSHOTS = ['process_snapshot', 'step_deadlines'];

const output: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'ID, name, stage, deadline, priority, tags and times',
		},
		{
			name: 'Raw',
			value: 'raw',
			description: 'Everything that the service returns',
		},
		{
			name: 'Selected Fields',
			value: 'selected',
			description: 'Only the fields that you choose',
		},
	],
	default: 'simplified',
	description: 'How much of the instance the output item holds',
};

const outputFields: INodeProperties = {
	displayName: 'Fields to Output',
	name: 'outputFields',
	type: 'multiOptions',
	displayOptions: { show: { output: ['selected'] } },
	options: Object.entries(FIELDS).map(([value, name]) => ({ name, value })),
	default: ['name'],
	description: 'Which fields the output item holds. The ID is always among them.',
};

export const outputDescription: INodeProperties[] = [output, outputFields];

/** How the user wants to see an instance. */
export interface OutputChoice {
	fields: readonly string[] | 'all';
	parseSnapshot: boolean;
}

function isFieldName(value: unknown): value is string {
	return typeof value === 'string' && Object.hasOwn(FIELDS, value.trim());
}

function selectedFields(value: unknown): string[] {
	const fields: unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
	if (fields.every(isFieldName)) return ['id', ...fields.map((field) => field.trim())];
	throw notExpected(
		fields.find((field) => !isFieldName(field)),
		"'Fields to Output'",
		'a field of an instance',
		`Choose from: ${Object.keys(FIELDS).join(', ')}.`,
	);
}

/**
 * What the user chose under 'Output'.
 *
 * @param options.snapshotWanted whether the user asked for something that only the snapshot shows
 * @throws UserFacingError naming 'Output' or 'Fields to Output' for a choice that does not exist
 */
export function outputChoice(
	parameters: Parameters,
	options: { snapshotWanted: boolean; parseSnapshot: boolean },
): OutputChoice {
	const { parseSnapshot, snapshotWanted } = options;
	const snapshot = snapshotWanted ? ['process_snapshot'] : [];
	const chosen = parameters.get(output);
	if (chosen === 'raw') return { fields: 'all', parseSnapshot };
	if (chosen === 'selected') {
		const fields = selectedFields(parameters.get(outputFields));
		return { fields: [...fields, ...snapshot], parseSnapshot };
	}
	if (chosen === 'simplified') return { fields: [...SIMPLIFIED, ...snapshot], parseSnapshot };
	throw notExpected(
		chosen,
		"'Output'",
		'one of its options',
		'Choose from: simplified, raw, selected.',
	);
}

function parsed(instance: IDataObject): IDataObject {
	const snapshots = Object.entries(pick(instance, SNAPSHOTS)).map(([key, value]) => {
		const json = typeof value === 'string' ? parseJson(value) : undefined;
		return [key, json ?? value];
	});
	return { ...instance, ...Object.fromEntries(snapshots) };
}

/**
 * An instance as the user wants to see it. Fields that the service did not send are left out.
 *
 * n8n takes an output item with a filled `error` for one that was not processed
 * (docs/n8n-engine.md#error-items), so a field of that name comes out as `service_error`.
 */
export function toOutput(
	instance: IDataObject,
	{ fields, parseSnapshot }: OutputChoice,
): IDataObject {
	const shown = parseSnapshot ? parsed(instance) : instance;
	if (fields !== 'all') return pick(shown, fields);
	if (!Object.hasOwn(shown, 'error')) return shown;
	const { error, ...rest } = shown;
	return { ...rest, service_error: error };
}
