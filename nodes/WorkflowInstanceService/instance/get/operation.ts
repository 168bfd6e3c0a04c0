import { forEachItem } from '../../n8n/forEachItem';
import { optionsOf, switchOption } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { readInstance } from '../readInstance';
import { parseSnapshot, QUERY_FLAGS } from './description';

/** Reads the instance of each item (docs/dev/service-interface.md#get). */
export const get = forEachItem({
	readsOnly: true,

	prepare(parameters) {
		const options = optionsOf(parameters);
		const flags = Object.entries(QUERY_FLAGS).filter(([, option]) => switchOption(options, option));
		const query = Object.fromEntries(flags.map(([flag]) => [flag, true]));
		const isParsed = switchOption(options, parseSnapshot);
		const snapshotWanted = isParsed || flags.length > 0;
		return {
			id: parseLocator(parameters.get(instanceId), INSTANCE),
			query,
			output: outputChoice(parameters, { snapshotWanted, parseSnapshot: isParsed }),
		};
	},

	async perform({ id, query, output }, service) {
		const { instance } = await readInstance(service, id, query);
		return toOutput(instance, output);
	},
});
