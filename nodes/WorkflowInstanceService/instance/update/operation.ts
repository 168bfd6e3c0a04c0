import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import type { ServiceResponse } from '../../api/response';
import { forEachItem } from '../../n8n/forEachItem';
import { chosenOption, optionsOf } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { UserFacingError } from '../../values/userFacingError';
import { INSTANCE, instanceId } from '../locators';
import { type OutputChoice, outputChoice, toOutput } from '../output';
import { readInstance, readRequest } from '../readInstance';
import { instanceIn } from '../response';
import { adviceOnKeptValue, buildBody } from './body';
import { type Changes, readChanges } from './changes';
import { FIELDS_TO_CLEAR, FIELDS_TO_UPDATE, unsetFields } from './description';
import { isListEdit } from './settableField';

interface UpdateJob extends Changes {
	id: number;
	keepsRest: boolean;
	output: OutputChoice;
}

/** PUT replaces everything, so what is to stay is read first (docs/dev/service-interface.md#update). */
export const update = forEachItem<UpdateJob>({
	readsOnly: false,

	prepare(parameters, { isTool }) {
		const { unsetFields: rest = 'keep' } = optionsOf(parameters);
		const keepsRest = chosenOption(rest, unsetFields.displayName, ['keep', 'reset']) === 'keep';
		const id = parseLocator(parameters.get(instanceId), INSTANCE);
		const { changes, kept } = readChanges(parameters, isTool);
		const hasProcess = kept.includes('process') || changes.some(({ key }) => key === 'process');
		if (!keepsRest && !hasProcess) {
			throw new UserFacingError(
				"'Process' is required when 'Other Fields' is set to Reset",
				`Add 'Process' under '${FIELDS_TO_UPDATE}' and choose the process of the instance. Or set 'Other Fields' to Keep.`,
			);
		}
		if (changes.length === 0 && kept.length === 0) {
			throw new UserFacingError(
				'There is nothing to update',
				`Add a field under '${FIELDS_TO_UPDATE}', or choose one in '${FIELDS_TO_CLEAR}'.`,
			);
		}
		return { id, keepsRest, changes, kept, output: outputChoice(parameters) };
	},

	async perform({ id, keepsRest, changes, kept, output }, service) {
		if (changes.length === 0) return toOutput(await readInstance(service, id), output);
		const { baseUrl } = service;
		const isKept = (key: string) => keepsRest || kept.includes(key);
		const bodyOf = (current: IDataObject) => buildBody(changes, { current, isKept, baseUrl });
		const needsCurrent = keepsRest || kept.length > 0 || changes.some(isListEdit);
		const put = (current: IDataObject): ApiRequest => {
			const body = bodyOf(current);
			return {
				method: 'PUT',
				path: `/instances/${id}/`,
				body,
				subject: `instance ${id}`,
				adviceOn: (words) => adviceOnKeptValue(body, changes, words),
			};
		};
		const putAfter = (response: ServiceResponse) => put(instanceIn(response, id, false));
		const response = needsCurrent
			? await service.readThenWrite(readRequest(id), putAfter)
			: await service.send(put({}));
		// What success looks like is not known (docs/dev/service-interface.md#undocumented).
		if (response.text.trim() === '') return { id, updated: true };
		return toOutput(instanceIn(response, id, true), output);
	},
});
