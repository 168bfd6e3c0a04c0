import type { IDataObject } from 'n8n-workflow';

import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';
import { pathOf } from '../../n8n/expressions';
import { assertNoDryRunAsked, type NodeOperation } from '../../n8n/operation';
import { optionsOf, switchOption } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { withoutUndefined } from '../../values/json';
import { UserFacingError } from '../../values/userFacingError';
import { forInstance, idIn, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest, updatedInstanceIn } from '../responses';
import { bodyOf, newest, previewOf, rejectedField, withAdvice } from './body';
import { type Changes, leaveOutRejectedNames, parseChanges } from './changes';
import { FIELDS, nameField } from './fields';
import { readThenWrite } from './readThenWrite';

const DRY_RUN =
	'Dry Run is on, so nothing was changed. If changes is empty, nothing would change. The service may still reject a value.';
const SAMPLES =
	'The items are samples from a test of the trigger, but their instances are real, and this node changes them. To test without changes, turn on Dry Run.';

/** To an AI model, which may take the unchanged instance for a changed one. */
const NOTHING_CHANGED =
	"Nothing was changed, since no field had a value. To empty a field, use 'Fields to Clear', if this tool has it.";

/** The hint about parameters whose expressions returned nothing for any item, e.g. due to a mistyped column. */
function hintOnEmpty(labels: readonly string[], areAllValid: boolean): string {
	const none = areAllValid ? 'No item' : 'No valid item';
	return `${none} has a value for ${labels.join(', ')}. If you expected values, check the column names in the expressions.`;
}

/** The hint for several items that all update one instance, whose ID doesn't come from the item. */
function hintOnOneInstance(itemCounts: ReadonlyMap<number, number>, entered: unknown) {
	const isOfItem = pathOf(chosenIn(entered)) !== undefined;
	const [[id, count] = [0, 0]] = itemCounts;
	if (isOfItem || itemCounts.size !== 1 || count < 2) return undefined;
	return `${count} items update instance ${id}. If each item should update a different instance, in '${instanceId.displayName}', use an expression that reads the item, e.g. {{ $json.instance_id }}.`;
}

/** Sends an update. If the service rejects a kept name, and the user wants that, sends it once more without the name. */
async function sendUpdate(
	id: number,
	changes: Changes,
	body: IDataObject,
	send: Service['send'],
	isNameOptional: boolean,
): Promise<ServiceResponse> {
	const request = { method: 'PUT', path: `/instances/${id}/`, ids: [id], body } as const;
	return await send(request).catch(async (cause: unknown) => {
		if (!(cause instanceof UserFacingError)) throw cause;
		const isKeptName = rejectedField(cause) === nameField && !changes.has(nameField);
		if (!isNameOptional || !isKeptName) throw withAdvice(cause, changes, body);
		const withoutName = withoutUndefined({ ...body, [nameField.key]: undefined });
		return await sendUpdate(id, changes, withoutName, send, false);
	});
}

/** Changes the instance of each item, or lists what would change. */
export const update: NodeOperation = {
	writes: {
		done: 'Updated',
		adviceIfUnknown: 'The change may already have been made. Running this node again is safe.',
	},
	failedPreview: { name: null, dryRun: true, changes: null },
	idOf: idIn(instanceId),

	plan(execution) {
		const { baseUrl, hint, isDryRun, isTool, memory, serviceFor } = execution;
		if (isDryRun) hint(DRY_RUN);
		else if (execution.comeFromSamples()) hint(SAMPLES);
		/** For each valid item, the labels of the parameters whose expressions returned nothing. */
		const emptyInItems: string[][] = [];
		/** How many valid items update each instance. */
		const itemCounts = new Map<number, number>();

		return {
			jobsOf: forInstance(execution, (id, parameters) => {
				assertNoDryRunAsked(parameters.item, execution);
				const { changes, emptyLabels } = parseChanges(parameters, { baseUrl, isTool });
				emptyInItems.push(emptyLabels);
				itemCounts.set(id, (itemCounts.get(id) ?? 0) + 1);
				const output = outputChoice(parameters);
				const isNameOptional = switchOption(optionsOf(parameters), leaveOutRejectedNames);
				const service = serviceFor(parameters);
				const isUnchanged = changes.size === 0;
				const readInstead = async () => {
					const read = await readInstance(service, id);
					const instance = newest(read, memory.written.get(id));
					const note = isTool ? { nothingChanged: NOTHING_CHANGED } : {};
					if (!isDryRun) return { ...note, ...toOutput(id, instance, output) };
					const { name = null } = instance;
					return { id, name, dryRun: true, changes: previewOf(changes, { ...instance, id }) };
				};
				const writeOver = async (read: IDataObject, send: Service['send']) => {
					const current = { ...newest(read, memory.written.get(id)), id };
					const body = bodyOf(changes, current);
					const response = await sendUpdate(id, changes, body, send, isNameOptional);
					const returned = updatedInstanceIn(response, id, read);
					// Only if other items need it, since thousands of large instances may not fit into memory.
					if (returned && Number(itemCounts.get(id)) > 1) memory.written.set(id, returned);
					return returned ? toOutput(id, returned, output) : { id, updated: true };
				};
				const setsAllFields = FIELDS.every((field) => 'value' in (changes.get(field) ?? {}));
				/** PUT replaces everything, so what should stay is read first (docs/dev/service-interface.md#update). */
				const write = async (): Promise<IDataObject> => {
					// With nothing to keep, there is nothing to read.
					if (setsAllFields) return await writeOver({}, service.send);
					return await readThenWrite(
						service,
						readRequest(id),
						async (response, send) => await writeOver(instanceIn(response, id), send),
					);
				};
				const readsOnly = isDryRun || isUnchanged;
				return { readsOnly, work: readsOnly ? readInstead : write };
			}),

			afterItems() {
				const [first = [], ...others] = emptyInItems;
				const inAll = first.filter((label) => others.every((labels) => labels.includes(label)));
				if (inAll.length > 0 && !isTool)
					hint(hintOnEmpty(inAll, emptyInItems.length === execution.items.length));
				const onOne = hintOnOneInstance(itemCounts, execution.firstItem.entered(instanceId));
				if (onOne) hint(onOne);
			},
		};
	},
};
