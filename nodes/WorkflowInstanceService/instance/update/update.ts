import type { IDataObject } from 'n8n-workflow';

import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';
import type { InstanceState } from '../../n8n/executionMemory';
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

/** What an update sends back, and when it was changed, without the snapshot, which may be large. */
const STATE_KEYS = [...FIELDS.map(({ key }) => key), 'last_updated_time'];

function stateOf(instance: IDataObject, isTimeKnown = true): InstanceState {
	const entries = STATE_KEYS.map((key) => [key, instance[key] ?? null] as const);
	return { instance: Object.fromEntries(entries), isTimeKnown };
}

/** What was read or written so many times before isn't looked for: a replica lags by less. */
const MOST_STATES = 100;

const timeOf = ({ instance }: InstanceState) => Date.parse(String(instance.last_updated_time));

/** Whether a state is certainly older than another. If its time isn't known, it may be later. */
const isOlder = (one: InstanceState, other: InstanceState) =>
	one.isTimeKnown && timeOf(one) < timeOf(other);

/** Whether two states may be the same one. */
function mayBeSame(one: InstanceState, other: InstanceState): boolean {
	const valuesOf = ({ instance }: InstanceState) =>
		JSON.stringify({ ...instance, last_updated_time: null });
	return !isOlder(one, other) && !isOlder(other, one) && valuesOf(one) === valuesOf(other);
}

/**
 * The newer of what was read and what this execution has written: a replica may still return what was before.
 * @param states the state that was written last, after those before it that a replica may still return
 */
function newest(read: IDataObject, states: readonly InstanceState[]): IDataObject {
	const written = states.at(-1);
	if (written === undefined) return read;
	const state = stateOf(read);
	if (isOlder(written, state)) return read;
	const isEarlier = states.slice(0, -1).some((each) => mayBeSame(each, state));
	return isEarlier || isOlder(state, written) ? written.instance : read;
}

/** The state after an update, of which the service may have returned a part or nothing. Only it knows the time. */
function stateAfter(body: IDataObject, current: IDataObject, returned: IDataObject = {}) {
	const values = FIELDS.map(({ key }) => [key, body[key] ?? null] as const);
	const instance = { ...current, ...Object.fromEntries(values), ...returned };
	return stateOf(instance, Boolean(returned.last_updated_time));
}

/** What was written last, after what a replica may return instead. */
function withEarlier(earlier: readonly InstanceState[], last: InstanceState): InstanceState[] {
	return [...earlier.filter((state) => !isOlder(state, last)).slice(-MOST_STATES), last];
}

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
			const stateBefore = stateOf(asRead);
			// A replica may also have answered with the instance as it was.
			const isOutdated = mayBeSame(stateOf({ ...asRead, ...instance }), stateBefore);
			const stateNow = stateAfter(body, current, isOutdated ? undefined : instance);
			memory.writtenStates.set(id, withEarlier([...writtenStates, stateBefore], stateNow));
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
