import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { chosenOption, chosenOptions, type Parameters } from '../n8n/parameters';
import { parseJson, pick } from '../values/json';
import { INSTANCE_FIELDS, type InstanceField } from './fields';

/** The most used fields, in the order in which people look at them: ten at most, as n8n asks. */
const SIMPLIFIED: readonly InstanceField[] = [
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

/** The fields of text in which services put JSON. */
const SNAPSHOTS: readonly InstanceField[] = ['process_snapshot', 'step_deadlines'];

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
		{ name: 'Raw', value: 'raw', description: 'All fields that the service returns' },
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
	options: Object.entries(INSTANCE_FIELDS).map(([value, name]) => ({ name, value })),
	default: ['name'],
	description: 'The fields to return. The ID is always included.',
};

export const outputDescription: INodeProperties[] = [output, outputFields];

/** How the user wants to see an instance; without `fields`, all of it. */
export function outputChoice(
	parameters: Parameters,
	{ snapshotWanted = false, parseSnapshot = false } = {},
) {
	const values = ['simplified', 'raw', 'selected'] as const;
	const chosen = chosenOption(parameters.get(output), output.displayName, values);
	if (chosen === 'raw') return { parseSnapshot };
	const added = snapshotWanted ? ['process_snapshot'] : [];
	if (chosen === 'simplified') return { fields: [...SIMPLIFIED, ...added], parseSnapshot };
	const names = Object.keys(INSTANCE_FIELDS);
	const selected = parameters.get(outputFields) || undefined;
	const fields = chosenOptions(selected, outputFields.displayName, names);
	return { fields: ['id', ...fields, ...added], parseSnapshot };
}

function parsed(instance: IDataObject): IDataObject {
	const snapshots = Object.entries(pick(instance, SNAPSHOTS)).map(
		([key, value]): [string, unknown] => {
			const json = typeof value === 'string' ? parseJson(value) : undefined;
			return [key, json ?? value];
		},
	);
	return Object.assign({}, instance, Object.fromEntries(snapshots));
}

/** An instance as the user wants to see it, without fields that the service did not send. */
export function toOutput(
	instance: IDataObject,
	{ fields, parseSnapshot }: ReturnType<typeof outputChoice>,
): IDataObject {
	const shown = parseSnapshot ? parsed(instance) : instance;
	if (fields !== undefined) return pick(shown, fields);
	if (!Object.hasOwn(shown, 'error')) return shown;
	// n8n takes an item with an `error` for one that failed (docs/dev/n8n-engine.md#error-items).
	const { error, ...rest } = shown;
	return { ...rest, serviceError: error };
}
