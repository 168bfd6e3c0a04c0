import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick, shortHash } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

/** When an instance was changed, in milliseconds since 1970; NaN if unknown. */
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));
/** -Infinity if none is known: then nothing is older. */
const latest = (...times: number[]) => Math.max(...times.filter((time) => !Number.isNaN(time)));
const stateHash = (instance: IDataObject) => shortHash(KEYS.map((key) => instance[key] ?? null));

/**
 * Whether what was returned is older than a state, since a replica may lag behind: by its time, or, where that is
 * unknown or in the same second, because it's an earlier state.
 */
function isStale(returned: IDataObject, state: WrittenState): boolean {
	const { instance, earlierTimes, lastUpdatedAt } = state;
	const time = timeOf(returned);
	// A time that is unknown (NaN) is not later than any.
	const earlierTime = earlierTimes.get(stateHash(returned));
	const isEarlier = earlierTime !== undefined && !(time > earlierTime);
	return time < lastUpdatedAt || (isEarlier && !(time > timeOf(instance)));
}

/** The newer of what was read and what this run of the node has written. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	if (!written || !isStale(read, written)) return read;
	// A copy, since later nodes may change what is returned.
	return { ...read, ...structuredClone(written.instance) };
}

/**
 * The state after an update of the newest state before it.
 * @param returned the instance, or a part of it; undefined if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	current: IDataObject,
	body: IDataObject,
	returned: IDataObject | undefined,
): WrittenState {
	const lastUpdatedAt = latest(timeOf(current), previous?.lastUpdatedAt ?? NaN);
	// The same map, since a copy for each of thousands of updates takes long.
	const earlierTimes = previous?.earlierTimes ?? new Map<string, number>();
	// What was written before may come back with the time of the current state, but is no newer.
	if (previous) earlierTimes.set(stateHash(previous.instance), timeOf(current));
	earlierTimes.set(stateHash(current), timeOf(current));
	const stateBefore = { instance: current, earlierTimes, lastUpdatedAt };
	const isCurrent = returned && !isStale({ ...current, ...returned }, stateBefore);
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const updated = isCurrent ? pick(returned, [...KEYS, 'last_updated_time']) : {};
	const instance: IDataObject = { last_updated_time: null, ...sent, ...updated };
	return { instance, earlierTimes, lastUpdatedAt: latest(timeOf(instance), lastUpdatedAt) };
}
