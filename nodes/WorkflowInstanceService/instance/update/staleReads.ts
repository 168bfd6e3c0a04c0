import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick, shortHash } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

/** When an instance was changed, in milliseconds since 1970; NaN if unknown. */
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));
const latest = (...times: number[]) => Math.max(...times.filter((time) => !Number.isNaN(time)));

/** Tells a state from others. */
function stateHash(instance: IDataObject, time = timeOf(instance)): string {
	return shortHash([time, ...KEYS.map((key) => instance[key] ?? null)]);
}

/**
 * Whether what was returned is older than a state, since a replica may lag behind: by its time, or, where that is
 * unknown or in the same second, because it's an earlier state.
 */
function isStale(returned: IDataObject, state: WrittenState): boolean {
	const { instance, earlierHashes, lastUpdatedAt } = state;
	const time = timeOf(returned);
	// Also without its time, as that of a state that was only sent is unknown.
	const hashes = [stateHash(returned), stateHash(returned, NaN)];
	const isEarlier = hashes.some((hash) => earlierHashes.has(hash));
	return time < lastUpdatedAt || (isEarlier && !(time > timeOf(instance)));
}

/** The newer of what was read and what this execution has written. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	return written && isStale(read, written) ? { ...read, ...written.instance } : read;
}

/**
 * The state after an update.
 * @param update what was read for it, the newest state before it, and the body that was sent
 * @param returned the instance, or a part of it; undefined if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	{ read, current, body }: Record<'read' | 'current' | 'body', IDataObject>,
	returned: IDataObject | undefined,
): WrittenState {
	const lastUpdatedAt = latest(timeOf(current), previous?.lastUpdatedAt ?? NaN);
	// The same set, since a copy for each of thousands of updates takes long.
	const earlierHashes = previous?.earlierHashes ?? new Set();
	earlierHashes.add(stateHash(read)).add(stateHash(current));
	// What was written before may come back with the time of the current state, but is no newer.
	if (previous) earlierHashes.add(stateHash(previous.instance, timeOf(current)));
	const stateBefore = { instance: current, earlierHashes, lastUpdatedAt };
	const isCurrent = returned && !isStale({ ...read, ...returned }, stateBefore);
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const updated = isCurrent ? pick(returned, [...KEYS, 'last_updated_time']) : {};
	const instance: IDataObject = { last_updated_time: null, ...sent, ...updated };
	return { instance, earlierHashes, lastUpdatedAt: latest(timeOf(instance), lastUpdatedAt) };
}
