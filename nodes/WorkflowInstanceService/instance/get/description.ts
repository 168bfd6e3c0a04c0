import type { INodeProperties } from 'n8n-workflow';

import { maxWait, optionsForm } from '../../n8n/parameters';

const injectValues: INodeProperties = {
	displayName: 'Include Entered Values',
	name: 'injectValues',
	type: 'boolean',
	default: true,
	description:
		'Whether the process snapshot includes the values that people entered in forms and actions',
};

const stepsTimeFrame: INodeProperties = {
	displayName: 'Include Step Times',
	name: 'stepsTimeFrame',
	type: 'boolean',
	default: true,
	description: 'Whether the process snapshot includes the completion time of each step',
};

/** The flags of the query (docs/dev/service-interface.md#get), with the options that turn them on. */
export const QUERY_FLAGS = { inject_values: injectValues, steps_time_frame: stepsTimeFrame };

export const parseSnapshot: INodeProperties = {
	displayName: 'Parse Snapshot',
	name: 'parseSnapshot',
	type: 'boolean',
	default: true,
	description:
		"Whether to parse the process snapshot and the step deadlines from JSON text into fields. Text that isn't JSON is left unchanged.",
};

export const getDescription: INodeProperties[] = [
	optionsForm([...Object.values(QUERY_FLAGS), maxWait, parseSnapshot]),
];
