import type { INodeProperties } from 'n8n-workflow';

import type { NodeOperation } from '../n8n/operation';
import { maxWait, optionsForm, optionsOf, switchOption } from '../n8n/parameters';
import { forInstance, idIn, instanceId } from './locators';
import { outputChoice, toOutput } from './output';
import { readInstance } from './responses';

/** The flags of the query (docs/dev/service-interface.md#get), with the options that turn them on. */
const QUERY_FLAGS: Record<string, INodeProperties> = {
	inject_values: {
		displayName: 'Include Entered Values',
		name: 'injectValues',
		type: 'boolean',
		default: true,
		description:
			'Whether the process snapshot includes the values that people entered in forms and actions',
	},
	steps_time_frame: {
		displayName: 'Include Step Times',
		name: 'stepsTimeFrame',
		type: 'boolean',
		default: true,
		description: 'Whether the process snapshot includes the completion time of each step',
	},
};

export const getOptions = optionsForm([...Object.values(QUERY_FLAGS), maxWait]);

/** Reads the instance of each item. */
export const get: NodeOperation = {
	writes: false,
	idOf: idIn(instanceId),

	plan: (execution) => ({
		jobsOf: forInstance(execution, (id, parameters) => {
			const options = optionsOf(parameters);
			const flags = Object.entries(QUERY_FLAGS).filter(([, form]) => switchOption(options, form));
			const query = Object.fromEntries(flags.map(([flag]) => [flag, true]));
			const output = outputChoice(parameters, flags.length > 0);
			const service = execution.serviceFor(parameters);
			const work = async () => toOutput(id, await readInstance(service, id, query), output);
			return { readsOnly: true, work };
		}),
	}),
};
