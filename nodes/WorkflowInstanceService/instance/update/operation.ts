import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../api/clock';
import { forEachItem } from '../../n8n/forEachItem';
import { parseLocator } from '../../values/ids';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest } from '../readInstance';
import { readChanges } from './changes';
import { readThenWrite } from './readThenWrite';
import { updateRequest } from './request';

/** PUT replaces everything, so what is to stay is read first (docs/dev/service-interface.md#update). */
export const update = forEachItem({
	readsOnly: false,

	prepare: (parameters, { isTool }) => ({
		id: parseLocator(parameters.get(instanceId), INSTANCE),
		changes: readChanges(parameters, isTool),
		output: outputChoice(parameters),
	}),

	async perform({ id, changes, output }, service) {
		const chosen = [...changes.values()];
		if (chosen.every((change) => change === 'kept')) {
			const { instance } = await readInstance(service, id);
			return toOutput(instance, output);
		}
		const put = (current: IDataObject) => updateRequest(id, changes, current, service.baseUrl);
		const needsCurrent = chosen.some((change) => change === 'kept' || 'adds' in change);
		const response = needsCurrent
			? await readThenWrite(service, systemClock, readRequest(id), (read) =>
					put(instanceIn(read, id, false)),
				)
			: await service.send(put({}));
		// What success looks like is not known (docs/dev/service-interface.md#undocumented).
		if (response.text.trim() === '') return { id, updated: true };
		return toOutput(instanceIn(response, id, true), output);
	},
});
