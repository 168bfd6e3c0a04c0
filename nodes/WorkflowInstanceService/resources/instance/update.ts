import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import { type ItemOperation, perItem } from '../../engine/hooks';
import type { Parameters } from '../../engine/parameters';
import type { Service } from '../../engine/service';
import { isWebPage } from '../../service/answer';
import { parseLocator } from '../../values/ids';
import { isObject } from '../../values/objects';
import { describeValue, Trouble } from '../../values/trouble';
import { instanceIn, notThisInterface, readInstance } from './answers';
import { INSTANCE, PROCESS } from './fields';
import { type OutputChoice, outputChoice, present } from './output';
import { buildBody } from './update/body';
import { FIELDS_TO_CLEAR, FIELDS_TO_UPDATE, readChanges } from './update/changes';
import { type Changes, NO_CHANGES } from './update/fields';

interface UpdateJob {
	id: number;
	keepsRest: boolean;
	processId: number | undefined;
	changes: Changes;
	output: OutputChoice;
}

function readKeepsRest(parameters: Parameters): boolean {
	const value = parameters.get('unsetFields');
	if (value === 'keep' || value === 'reset') return value === 'keep';
	throw new Trouble(`'Other Fields' cannot be ${describeValue(value)}`, 'Use keep or reset.');
}

/** The chosen process; undefined when the parameter is empty, but not when an expression found nothing. */
function readProcessId(parameters: Parameters): number | undefined {
	const chosen = parameters.get('process');
	const value = isObject(chosen) ? chosen.value : chosen;
	const entered = parameters.entered('process');
	const nothingEntered = isObject(entered) && !entered.value;
	if (value === '' || nothingEntered) return undefined;
	return parseLocator(chosen, PROCESS);
}

/** Interface, section 4.2: PUT replaces everything, so what shall stay is read first. */
const update: ItemOperation<UpdateJob> = {
	prepare(parameters) {
		const keepsRest = readKeepsRest(parameters);
		const id = parseLocator(parameters.get('instanceId'), INSTANCE);
		const processId = readProcessId(parameters);
		const changes = readChanges(parameters);
		if (!keepsRest && processId === undefined) {
			throw new Trouble(
				"'Process' is empty",
				"Choose the process of the instance: when the other fields are reset, it has to be sent. Or set 'Other Fields' to Keep.",
			);
		}
		if (changes === undefined && processId === undefined) {
			throw new Trouble(
				'Nothing to update was chosen',
				`Add a field in '${FIELDS_TO_UPDATE}', choose one in '${FIELDS_TO_CLEAR}', or choose a 'Process'.`,
			);
		}
		const output = outputChoice(parameters, { snapshotWanted: false, parseSnapshot: false });
		return { id, keepsRest, processId, changes: changes ?? NO_CHANGES, output };
	},

	changes: ({ id }) => `instance ${id}`,

	async perform({ id, keepsRest, processId, changes, output }: UpdateJob, service: Service) {
		const needsPresent = keepsRest || changes.amendsTags;
		const current = needsPresent ? await readInstance(service, id) : {};
		const process = processId && { process: `${service.baseUrl}/processes/${processId}/` };
		const set = { ...changes.set, ...process };
		const body = buildBody({ ...changes, set }, current, keepsRest);
		return await put(service, id, body, output, keepsRest && !Object.hasOwn(set, 'name'));
	},
};

async function put(
	service: Service,
	id: number,
	body: IDataObject,
	output: OutputChoice,
	nameIsKept: boolean,
): Promise<IDataObject> {
	const subject = `instance ${id}`;
	const answer = await service.send({
		method: 'PUT',
		path: `/instances/${id}/`,
		body,
		subject,
		hint: nameIsKept
			? {
					words: /\bnam(e|ing)\b/i,
					advice: `If the workflow of this instance names its instances itself, add 'Automatic Naming' in '${FIELDS_TO_UPDATE}' and turn it on.`,
				}
			: undefined,
	});
	if (isWebPage(answer)) throw notThisInterface(answer, subject);
	const instance = instanceIn(answer);
	return instance === undefined ? { id, updated: true } : present(instance, output);
}

export const updateOption: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	action: 'Update an instance',
	description: 'Change one instance for each input item: its deadline, priority, tags and more',
	routing: perItem(update),
};
