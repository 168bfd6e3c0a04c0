import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { type ItemOperation, perItem } from '../../engine/hooks';
import {
	maxConcurrentRequests,
	maxRetries,
	optionsOf,
	switchOption,
} from '../../engine/parameters';
import type { Service } from '../../engine/service';
import { parseLocator } from '../../values/ids';
import { readInstance } from './answers';
import { INSTANCE, shownFor } from './fields';
import { type OutputChoice, outputChoice, present } from './output';

const injectValues: INodeProperties = {
	displayName: 'Include Entered Values',
	name: 'injectValues',
	type: 'boolean',
	default: false,
	description:
		'Whether the process snapshot includes the values that people entered in forms and actions',
};

const stepsTimeFrame: INodeProperties = {
	displayName: 'Include Step Times',
	name: 'stepsTimeFrame',
	type: 'boolean',
	default: false,
	description: 'Whether the process snapshot includes when each step was completed',
};

const parseSnapshot: INodeProperties = {
	displayName: 'Parse Snapshot',
	name: 'parseSnapshot',
	type: 'boolean',
	default: false,
	description:
		'Whether to turn the process snapshot and the step deadlines from text into fields that you can use. Text that is not JSON stays as it is.',
};

interface GetJob {
	id: number;
	query: IDataObject;
	output: OutputChoice;
}

/** Interface, section 4.1. */
const get: ItemOperation<GetJob> = {
	prepare(parameters) {
		const options = optionsOf(parameters);
		const query = {
			...(switchOption(options, injectValues) && { inject_values: true }),
			...(switchOption(options, stepsTimeFrame) && { steps_time_frame: true }),
		};
		const parses = switchOption(options, parseSnapshot);
		const snapshotWanted = parses || Object.keys(query).length > 0;
		return {
			id: parseLocator(parameters.get('instanceId'), INSTANCE),
			query,
			output: outputChoice(parameters, { snapshotWanted, parseSnapshot: parses }),
		};
	},

	async perform({ id, query, output }: GetJob, service: Service) {
		return present(await readInstance(service, id, query), output);
	},
};

export const getOption: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get an instance',
	description: 'Read one instance for each input item: its stage, deadline, tags, times and more',
	routing: perItem(get),
};

export const getForm: INodeProperties[] = shownFor(
	['get'],
	[
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [injectValues, stepsTimeFrame, maxConcurrentRequests, maxRetries, parseSnapshot],
		},
	],
);
