import type { IDataObject } from 'n8n-workflow';

import { forEachItem } from '../../n8n/forEachItem';
import { optionsOf, switchOption } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { INSTANCE, instanceId } from '../locators';
import { type OutputChoice, outputChoice, toOutput } from '../output';
import { readInstance } from '../readInstance';
import { parseSnapshot, QUERY_FLAGS } from './description';

interface GetJob {
	id: number;
	query: IDataObject;
	output: OutputChoice;
}

/** Reads the instance of each item (docs/dev/service-interface.md#get). */
export const get = forEachItem<GetJob>({
	readsOnly: true,

	prepare(parameters) {
		const options = optionsOf(parameters);
		const flags = Object.entries(QUERY_FLAGS).filter(([, option]) => switchOption(options, option));
		const query = Object.fromEntries(flags.map(([flag]) => [flag, true]));
		const parses = switchOption(options, parseSnapshot);
		const snapshotWanted = parses || flags.length > 0;
		return {
			id: parseLocator(parameters.get(instanceId), INSTANCE),
			query,
			output: outputChoice(parameters, { snapshotWanted, parseSnapshot: parses }),
		};
	},

	async perform({ id, query, output }, service) {
		return toOutput(await readInstance(service, id, query), output);
	},
});
