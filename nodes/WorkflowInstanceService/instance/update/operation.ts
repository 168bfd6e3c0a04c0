import type { IDataObject } from 'n8n-workflow';

import { forEachItem, type Service } from '../../n8n/forEachItem';
import { asUserFacingError } from '../../n8n/outputItems';
import type { Parameters } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { isObject } from '../../values/json';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { INSTANCE, instanceId, PROCESS } from '../locators';
import { type OutputChoice, outputChoice, toOutput } from '../output';
import { readInstance } from '../readInstance';
import { instanceIn } from '../response';
import { adviceOnKeptValue, buildBody, isAmendment } from './body';
import { readChanges } from './changes';
import { FIELDS_TO_CLEAR, FIELDS_TO_UPDATE, processField, unsetFields } from './description';
import type { FieldChange } from './settableField';

interface UpdateJob {
	id: number;
	keepsRest: boolean;
	processId: number | undefined;
	changes: readonly FieldChange[];
	output: OutputChoice;
}

function readKeepsRest(parameters: Parameters): boolean {
	const value = parameters.get(unsetFields);
	if (value === 'keep' || value === 'reset') return value === 'keep';
	throw notExpected(value, "'Other Fields'", 'one of its options', 'Use keep or reset.');
}

/** The chosen process; undefined when the parameter is empty, but not when an expression found nothing. */
function readProcessId(parameters: Parameters): number | undefined {
	const chosen = parameters.get(processField);
	const value = isObject(chosen) ? chosen.value : chosen;
	const entered = parameters.entered(processField);
	const nothingEntered = isObject(entered) && !entered.value;
	if (value === '' || nothingEntered) return undefined;
	return parseLocator(chosen, PROCESS);
}

/** PUT replaces everything, so what is to stay is read first (docs/service-interface.md#update). */
export const update = forEachItem<UpdateJob>({
	readsOnly: false,

	prepare(parameters) {
		const keepsRest = readKeepsRest(parameters);
		const id = parseLocator(parameters.get(instanceId), INSTANCE);
		const processId = readProcessId(parameters);
		const changes = readChanges(parameters);
		if (!keepsRest && processId === undefined) {
			throw new UserFacingError(
				"'Process' is empty",
				"Choose the process of the instance: when the other fields are reset, it has to be sent. Or set 'Other Fields' to Keep.",
			);
		}
		if (changes.length === 0 && processId === undefined) {
			throw new UserFacingError(
				'Nothing to update was chosen',
				`Add a field in '${FIELDS_TO_UPDATE}', choose one in '${FIELDS_TO_CLEAR}', or choose a 'Process'.`,
			);
		}
		const output = outputChoice(parameters, { snapshotWanted: false, parseSnapshot: false });
		return { id, keepsRest, processId, changes, output };
	},

	changes: ({ id }) => `instance ${id}`,

	async perform({ id, keepsRest, processId, changes, output }, service) {
		const needsCurrent = keepsRest || changes.some(isAmendment);
		const current = needsCurrent ? await readInstance(service, id) : {};
		const uri = `${service.baseUrl}/processes/${processId}/`;
		const wanted = processId === undefined ? changes : [...changes, { key: 'process', set: uri }];
		return await put(service, id, buildBody(wanted, current, keepsRest), wanted, output);
	},
});

async function put(
	service: Service,
	id: number,
	body: IDataObject,
	changes: readonly FieldChange[],
	output: OutputChoice,
): Promise<IDataObject> {
	const response = await service.send({
		method: 'PUT',
		path: `/instances/${id}/`,
		body,
		subject: `instance ${id}`,
		comesFirst: true,
		adviceOn: (words) => adviceOnKeptValue(body, changes, words),
	});
	// What success looks like is not known (docs/service-interface.md#not-shown).
	if (response.text.trim() === '') return { id, updated: true };
	const instance = instanceIn(response, id, true);
	try {
		return toOutput(instance, output);
	} catch (cause) {
		const error = asUserFacingError(cause);
		const description = `${error.description} The instance was updated.`;
		throw error.with({ description, mayBeDone: true });
	}
}
