import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../../api/apiClient';
import { systemClock } from '../../api/clock';
import type { ServiceResponse } from '../../api/response';
import { jobOf, type NodeOperation } from '../../n8n/operation';
import { parseLocator } from '../../values/ids';
import { defined } from '../../values/json';
import {
	asUserFacingError,
	describeValue,
	isEmpty,
	UserFacingError,
} from '../../values/userFacingError';
import { isDryRun } from '../dryRun';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest } from '../readInstance';
import { bodyOf, changesIn, withAdvice } from './body';
import { type Changes, readChanges } from './changes';
import { nameField } from './fields/name';
import { readThenWrite } from './readThenWrite';

const DRY_RUN =
	'Dry Run is on, so nothing was changed. The changes field shows what would change in each instance.';

/** A process may name its instances itself, and then rejects any name, also the one that was read. */
function isKeptNameRejected(cause: unknown, changes: Changes): boolean {
	if (!(cause instanceof UserFacingError) || changes.get(nameField) !== 'kept') return false;
	return cause.kind === 'rejected' && cause.keys.includes(nameField.key);
}

/** Sends the update and, where the service rejects a name that the user did not set, once more without it. */
async function sendUpdate(
	id: number,
	changes: Changes,
	body: IDataObject,
	send: Service['send'],
): Promise<ServiceResponse> {
	const request = { method: 'PUT', path: `/instances/${id}/`, ids: [id] } as const;
	const sendBody = async (sent: IDataObject) =>
		await send({ ...request, body: sent }).catch((cause: unknown) => {
			throw cause instanceof UserFacingError ? withAdvice(cause, changes, sent) : cause;
		});
	return await sendBody(body).catch(async (cause: unknown) => {
		if (!isKeptNameRejected(cause, changes)) throw cause;
		return await sendBody(defined({ ...body, name: undefined }));
	});
}

/** PUT replaces everything, so what is to stay is read first (docs/dev/service-interface.md#update). */
async function write(id: number, changes: Changes, service: Service) {
	const sendChanged = async (current: IDataObject, send: Service['send']) => {
		const response = await sendUpdate(id, changes, bodyOf(changes, current), send);
		return { current, response };
	};
	const isWhole = [...changes.values()].every((change) => change !== 'kept' && 'value' in change);
	if (isWhole) return await sendChanged({}, service.send);
	return await readThenWrite(service, systemClock, readRequest(id), async (response, send) => {
		return await sendChanged(instanceIn(response, id), send);
	});
}

/** Lets an error about a value name the instance of its item. */
function naming<T>(id: number, read: () => T): T {
	try {
		return read();
	} catch (cause) {
		throw asUserFacingError(cause).with({ id });
	}
}

/** Changes the instance of each item, or lists what would change. */
export const update: NodeOperation = {
	done: 'Updated',
	doubt: 'The change may already have been made. Running this again is safe.',

	begin({ baseUrl, hint, isTool, serviceFor }) {
		let isTold = false;
		/** Tells the user, once per run, that the service replaced a name that should stay. */
		const tellOfName = (id: number, before: unknown, after: unknown) => {
			if (isTold || after === undefined || after === before || isEmpty(before)) return;
			isTold = true;
			const names = `instance ${id} was named ${describeValue(before)}`;
			hint(`The service replaced the name of at least one instance: ${names}.`);
		};
		return {
			prepare(parameters) {
				const id = parseLocator(parameters.get(instanceId), INSTANCE, baseUrl);
				const changes = naming(id, () => readChanges(parameters, { baseUrl, isTool }));
				const output = outputChoice(parameters);
				const isPreview = isDryRun(parameters);
				if (isPreview) hint(DRY_RUN);
				const isUnchanged = [...changes.values()].every((change) => change === 'kept');
				const service = serviceFor(parameters);

				const run = async (): Promise<IDataObject> => {
					if (!isPreview && !isUnchanged) {
						const { current, response } = await write(id, changes, service);
						// What success looks like is not known (docs/dev/service-interface.md#undocumented).
						if (response.text.trim() === '') return { id, updated: true };
						const instance = instanceIn(response, id);
						if (changes.get(nameField) === 'kept') tellOfName(id, current.name, instance.name);
						return toOutput(instance, output);
					}
					const { instance } = await readInstance(service, id);
					if (!isPreview) return toOutput(instance, output);
					const { name = null } = instance;
					return { id, name, dryRun: true, changes: changesIn(changes, instance) };
				};
				return [jobOf(id, [parameters.item], isPreview || isUnchanged, run)];
			},
		};
	},
};
