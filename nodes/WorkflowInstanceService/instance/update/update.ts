import type { IDataObject } from 'n8n-workflow';

import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';
import { jobOf, type NodeOperation } from '../../n8n/operation';
import { optionsOf, switchOption } from '../../n8n/parameters';
import { defined } from '../../values/json';
import { withNames } from '../../values/processSnapshot';
import { UserFacingError } from '../../values/userFacingError';
import { forInstance, idOf } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest, updatedInstanceIn } from '../responses';
import { bodyOf, changesIn, hintOnIgnored, isKeptNameRejected, withAdvice } from './body';
import { type Changes, leaveOutRejectedNames, readChanges } from './changes';
import { FIELDS, nameField } from './fields';
import { readThenWrite } from './readThenWrite';

const DRY_RUN =
	'Dry Run is on, so nothing was changed. The output lists what would change. When you turn off Dry Run, the service may still reject a value.';

const UNCHANGED =
	"Some items changed nothing, since all their expressions returned nothing. If you didn't expect that, check the column names in the expressions.";

const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));

/** What an update sends back, and when it was changed, without the snapshot, which may be large. */
const STATE_KEYS = [...FIELDS.map(({ key }) => key), 'last_updated_time'];

const stateOf = (instance: IDataObject): IDataObject =>
	Object.fromEntries(STATE_KEYS.map((key) => [key, instance[key] ?? null]));

/**
 * The newer of what was read and what this execution has written: a replica may still return what was before.
 * @param states the state that was written last, after those of the same time, which may be a whole second
 */
function newest(read: IDataObject, states: readonly IDataObject[]): IDataObject {
	const written = states.at(-1) ?? read;
	const isRead = (state: IDataObject) => JSON.stringify(state) === JSON.stringify(stateOf(read));
	const isOutdated = states.slice(0, -1).some(isRead);
	return isOutdated || timeOf(read) < timeOf(written) ? written : read;
}

/** The state after an update, of which the service may have returned a part or nothing. Only it knows the time. */
function stateAfter(body: IDataObject, current: IDataObject, returned: IDataObject): IDataObject {
	const values = FIELDS.map(({ key }) => [key, body[key] ?? null] as const);
	return stateOf({ ...current, ...Object.fromEntries(values), ...returned });
}

/** What was written last, and before it what a replica may return instead, since its time is the same. */
const ofSameTime = (earlier: readonly IDataObject[], last: IDataObject) =>
	[...earlier, last].filter((state) => timeOf(state) === timeOf(last));

/** Sends an update and, where the user wants it, once more without a kept name that the service rejects. */
async function sendUpdate(
	id: number,
	changes: Changes,
	body: IDataObject,
	send: Service['send'],
	isNameOptional: boolean,
): Promise<ServiceResponse> {
	const rejection = { of: 'the values for', toCheck: 'the values' };
	const request = { method: 'PUT', path: `/instances/${id}/`, ids: [id], rejection } as const;
	const sendBody = async (content: IDataObject) =>
		await send({ ...request, body: content }).catch((cause: unknown) => {
			throw cause instanceof UserFacingError ? withAdvice(cause, changes, content) : cause;
		});
	return await sendBody(body).catch(async (cause: unknown) => {
		if (!isNameOptional || !isKeptNameRejected(cause, changes)) throw cause;
		return await sendBody(defined({ ...body, [nameField.key]: undefined }));
	});
}

/** Changes the instance of each item, or lists what would change. */
export const update: NodeOperation = {
	change: {
		done: 'Updated',
		adviceIfUnknown: 'The change may already have been made. Running this node again is safe.',
	},
	failedPreview: { name: null, dryRun: true, changes: null },
	idOf,

	plan(execution) {
		const { baseUrl, hint, isDryRun, isTool, memory, serviceFor } = execution;
		if (isDryRun) hint(DRY_RUN);

		/** PUT replaces everything, so what should stay is read first (docs/dev/service-interface.md#update). */
		const write = async (
			id: number,
			changes: Changes,
			service: Service,
			isNameOptional: boolean,
		) => {
			const setsAllFields = FIELDS.every((field) => 'value' in (changes.get(field) ?? {}));
			const writtenStates = memory.writtenStates.get(id) ?? [];
			/** @param current the newest state that is known, of which the update keeps the rest */
			const sendFor = async (asRead: IDataObject, current: IDataObject, send: Service['send']) => {
				const body = bodyOf(changes, current);
				const response = await sendUpdate(id, changes, body, send, isNameOptional);
				return { asRead, current, body, response };
			};
			const { asRead, current, body, response } = setsAllFields
				? await sendFor({}, { id }, service.send)
				: await readThenWrite(service, readRequest(id), async (read, send) => {
						const readNow = instanceIn(read, id);
						return await sendFor(readNow, { ...newest(readNow, writtenStates), id }, send);
					});
			const instance = await updatedInstanceIn(response, id, async () => {
				if (!setsAllFields) return asRead;
				return await readInstance(service, id).then(
					({ instance: own }) => own,
					() => ({}),
				);
			});
			const ignored = instance && hintOnIgnored(changes, current, instance);
			if (ignored) hint(ignored, 'ignored');
			const stateNow = stateAfter(body, current, instance ?? {});
			const earlier = [...writtenStates, stateOf(asRead)];
			memory.writtenStates.set(id, ofSameTime(earlier, stateNow));
			return instance;
		};

		return {
			jobsOf: forInstance(execution, !isDryRun, (id, parameters) => {
				const changes = readChanges(parameters, { baseUrl, isTool });
				const output = outputChoice(parameters);
				const isNameOptional = switchOption(optionsOf(parameters), leaveOutRejectedNames);
				const isUnchanged = changes.size === 0;
				if (isUnchanged && !isTool) hint(UNCHANGED);
				const service = serviceFor(parameters);

				const execute = async (): Promise<IDataObject> => {
					if (!isDryRun && !isUnchanged) {
						const instance = await write(id, changes, service, isNameOptional);
						return instance ? toOutput(id, instance, output) : { id, updated: true };
					}
					const { instance } = await readInstance(service, id);
					if (!isDryRun) return toOutput(id, instance, output);
					const { name = null, process_snapshot: snapshot } = instance;
					const changed = changesIn(changes, { ...instance, id });
					return { id, name, dryRun: true, changes: withNames(changed, snapshot) };
				};
				return [jobOf(id, [parameters.item], isDryRun || isUnchanged, execute)];
			}),
		};
	},
};
