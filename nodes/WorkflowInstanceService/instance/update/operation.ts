import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import { forEachItem } from '../../n8n/forEachItem';
import { chosenOption, optionsOf } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { UserFacingError } from '../../values/userFacingError';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest } from '../readInstance';
import { adviceOnKeptValue, buildBody } from './body';
import { readChanges } from './changes';
import { unsetFields } from './description';

/** PUT replaces everything, so what is to stay is read first (docs/dev/service-interface.md#update). */
export const update = forEachItem({
	readsOnly: false,

	prepare(parameters, { isTool }) {
		const { unsetFields: rest = 'keep' } = optionsOf(parameters);
		const keepsRest = chosenOption(rest, unsetFields.displayName, ['keep', 'reset']) === 'keep';
		const id = parseLocator(parameters.get(instanceId), INSTANCE);
		const changes = readChanges(parameters, isTool);
		if (!keepsRest && ![...changes.keys()].some(({ key }) => key === 'process')) {
			throw new UserFacingError(
				"'Process' is required when 'Other Fields' is set to Reset",
				"Add 'Process' under 'Fields to Update' and choose the process of the instance. Or set 'Other Fields' to Keep.",
			);
		}
		if (changes.size === 0) {
			throw new UserFacingError(
				'There is nothing to update',
				"Add a field under 'Fields to Update', or choose one in 'Fields to Clear'.",
			);
		}
		return { id, changes, keepsRest, output: outputChoice(parameters) };
	},

	async perform({ id, changes, keepsRest, output }, service) {
		const chosen = [...changes.values()];
		if (chosen.flat().length === 0) {
			const { instance } = await readInstance(service, id);
			return toOutput(instance, output);
		}
		const needsCurrent =
			keepsRest || chosen.some(([change]) => change === undefined || 'edit' in change);
		const put = (current: IDataObject): ApiRequest => {
			const body = buildBody(changes, keepsRest, current, service.baseUrl);
			const adviceOn = (words: string) => adviceOnKeptValue(body, changes, words);
			const path = `/instances/${id}/`;
			return { method: 'PUT', path, body, subject: `instance ${id}`, adviceOn };
		};
		const response = needsCurrent
			? await service.readThenWrite(readRequest(id), (read) => put(instanceIn(read, id, false)))
			: await service.send(put({}));
		// What success looks like is not known (docs/dev/service-interface.md#undocumented).
		if (response.text.trim() === '') return { id, updated: true };
		return toOutput(instanceIn(response, id, true), output);
	},
});
