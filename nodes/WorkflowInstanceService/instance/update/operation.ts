import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import { forEachItem } from '../../n8n/forEachItem';
import { parseLocator } from '../../values/ids';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest } from '../readInstance';
import { adviceOnKept, buildBody } from './body';
import { readChanges } from './changes';

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
		const put = (current: IDataObject): ApiRequest => {
			const body = buildBody(changes, current, service.baseUrl);
			const adviceOn = (words: string) => adviceOnKept(body, changes, words);
			const path = `/instances/${id}/`;
			return { method: 'PUT', path, body, subject: `instance ${id}`, adviceOn };
		};
		const needsCurrent = chosen.some((change) => change === 'kept' || 'adds' in change);
		const response = needsCurrent
			? await service.readThenWrite(readRequest(id), (read) => put(instanceIn(read, id, false)))
			: await service.send(put({}));
		// What success looks like is not known (docs/dev/service-interface.md#undocumented).
		if (response.text.trim() === '') return { id, updated: true };
		return toOutput(instanceIn(response, id, true), output);
	},
});
