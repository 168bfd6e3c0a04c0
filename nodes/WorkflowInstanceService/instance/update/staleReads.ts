import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick, shortHash } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

const valuesOf = (instance: IDataObject) => shortHash(KEYS.map((key) => instance[key] ?? null));
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));

/**
 * Whether what was returned is older than a state, since a replica may lag behind: by its time, or, where times are
 * unknown or the same second, if its values are those of an earlier state.
 */
function isStale(returned: IDataObject, { instance, earlier }: WrittenState): boolean {
	const [time, stateTime] = [timeOf(returned), timeOf(instance)];
	return time < stateTime || (earlier.has(valuesOf(returned)) && !(time > stateTime));
}

/** The newer of what was read and what this execution has written. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	return written && isStale(read, written) ? { ...read, ...written.instance } : read;
}

/**
 * The state after an update of the newest state that was known.
 * @param returned the instance, or a part of it; undefined if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	{ read, known, body }: Record<'read' | 'known' | 'body', IDataObject>,
	returned: IDataObject | undefined,
): WrittenState {
	// The same set, since a copy for each of thousands of updates takes long.
	const earlier = previous?.earlier ?? new Set();
	earlier.add(valuesOf(read)).add(valuesOf(known));
	const isUpdated = returned && !isStale({ ...read, ...returned }, { instance: known, earlier });
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const updated = isUpdated ? pick(returned, [...KEYS, 'last_updated_time']) : {};
	return { instance: { ...sent, ...updated }, earlier };
}
