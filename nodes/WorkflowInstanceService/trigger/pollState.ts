import type { IDataObject } from 'n8n-workflow';

import { TOO_MANY_REQUESTS } from '../api/retryAfter';
import { asObject, isObject } from '../values/json';
import type { StoredInstance } from './detectEvents';
import { canonical } from './events';
import type { Reads } from './readInstances';

/** Raised when what is stored changes its form; what an older version left is not read. */
const VERSION = 1;

/** What is stored of each instance, by its ID. */
export type StoredInstances = ReadonlyMap<number, StoredInstance>;

/** What is stored between polls; nothing when it is of another version, or of another service. */
export function readState(staticData: IDataObject, service: string) {
	const instances = new Map<number, StoredInstance>();
	if (staticData.v !== VERSION || staticData.for !== service) return { instances, queue: [] };
	for (const [id, stored] of Object.entries(asObject(staticData.ids))) {
		if (isObject(stored)) instances.set(Number(id), stored);
	}
	const { queue } = staticData;
	return { instances, queue: Array.isArray(queue) ? queue.map(Number) : [] };
}

/** Stores the state, and returns which keys changed. n8n notices which keys are set, and saves them when it may. */
export function writeState(
	staticData: IDataObject,
	service: string,
	instances: StoredInstances,
	queue: number[],
): string[] {
	const state: IDataObject = {
		v: VERSION,
		for: service,
		ids: Object.fromEntries(instances),
		queue,
	};
	const changed = Object.keys(state).filter((key) => {
		return canonical(staticData[key]) !== canonical(state[key]);
	});
	for (const key of changed) staticData[key] = state[key];
	return changed;
}

/** IDs in the order in which to read them: those that aren't in the queue yet come first. */
export function inTurn(ids: readonly number[], queue: readonly number[]): number[] {
	const [watched, queued] = [new Set(ids), new Set(queue)];
	return [...ids.filter((id) => !queued.has(id)), ...queue.filter((id) => watched.has(id))];
}

/**
 * The queue for the next poll; empty if all were read. What was asked for longest ago comes first. What was
 * sent after the last one that was read wasn't asked for: a limit let nothing more through, and would meet the
 * same ones each time. When none was read, only the status tells that it was a limit.
 */
export function nextQueue(order: readonly number[], { seen, sent, errors }: Reads): number[] {
	if (order.every((id) => seen.has(id))) return [];
	const end = [...sent].map((id) => seen.has(id)).lastIndexOf(true) + 1;
	const isLimited = (id: number) => errors.get(id)?.httpCode === String(TOO_MANY_REQUESTS);
	const isAsked = (id: number, index: number) => (end > 0 ? index < end : !isLimited(id));
	const asked = new Set([...sent].filter(isAsked));
	return [...order.filter((id) => !asked.has(id)), ...asked];
}
