import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { chosenOption, chosenOptions, type ItemParameters } from '../n8n/parameters';
import { parseExactJson, pick } from '../values/json';
import { FIELDS } from './update/fields';

const READ_ONLY_FIELDS = {
	aborted_time: 'Aborted Time',
	active_step_ids: 'Active Step IDs',
	completed_time: 'Completed Time',
	id: 'ID',
	last_updated_time: 'Last Updated Time',
	process_snapshot: 'Process Snapshot',
	public_url: 'Public URL',
	stage: 'Stage',
	started_time: 'Started Time',
	step_deadlines: 'Step Deadlines',
	url: 'URL',
};

/** All fields of an instance (docs/dev/service-interface.md#instance), in the order of their labels. */
export const INSTANCE_FIELDS = [
	...Object.entries(READ_ONLY_FIELDS).map(([value, name]) => ({ name, value })),
	...FIELDS.map(({ key, label }) => ({ name: label, value: key })),
].sort((one, other) => one.name.localeCompare(other.name));

export const INSTANCE_KEYS = INSTANCE_FIELDS.map(({ value }) => value);

/** The most used fields, in the order in which people look at them: ten at most, as n8n asks. */
const SIMPLIFIED = [
	'id',
	'name',
	'stage',
	'deadline',
	'priority',
	'tags',
	'step_assignments',
	'started_time',
	'completed_time',
	'aborted_time',
];

/** The text fields in which services put JSON. */
const SNAPSHOTS = ['process_snapshot', 'step_deadlines'];

const output: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'ID, name, stage, deadline, priority, tags, step assignments and times',
		},
		{ name: 'Raw', value: 'raw', description: 'All fields, as the service returns them' },
		{ name: 'Selected Fields', value: 'selected', description: 'Only the fields you choose' },
	],
	default: 'simplified',
	description: 'How much of the instance to return',
};

const outputFields: INodeProperties = {
	displayName: 'Fields to Output',
	name: 'outputFields',
	type: 'multiOptions',
	displayOptions: { show: { output: ['selected'] } },
	options: INSTANCE_FIELDS,
	default: ['name'],
	description: 'The fields to return. The ID is always included.',
};

export const outputForm: INodeProperties[] = [output, outputFields];

/** The fields that the user wants to see; undefined for the instance as the service returned it. */
export function outputChoice(
	parameters: ItemParameters,
	withSnapshot = false,
): string[] | undefined {
	const values = ['simplified', 'raw', 'selected'] as const;
	const choice = chosenOption(parameters.get(output), `'${output.displayName}'`, values);
	if (choice === 'raw') return undefined;
	const added = withSnapshot ? ['process_snapshot'] : [];
	if (choice === 'simplified') return [...SIMPLIFIED, ...added];
	const keys = chosenOptions(parameters.get(outputFields), outputFields.displayName, INSTANCE_KEYS);
	return ['id', ...keys, ...added];
}

/** An instance as the user wants to see it, without fields that the service did not send, except for its ID. */
export function toOutput(
	id: number,
	instance: IDataObject,
	fields: readonly string[] | undefined,
): IDataObject {
	if (fields !== undefined) {
		const selected = pick({ ...instance, id: instance.id ?? id }, fields);
		for (const key of SNAPSHOTS) {
			const { [key]: text } = selected;
			const json = typeof text === 'string' ? parseExactJson(text) : undefined;
			if (json !== undefined) Object.assign(selected, { [key]: json });
		}
		return selected;
	}
	if (!instance.error) return instance;
	// n8n treats an item with an `error` as one that failed (docs/dev/n8n-engine.md#error-items).
	const { error, ...rest } = instance;
	return { serviceError: error, ...rest };
}
