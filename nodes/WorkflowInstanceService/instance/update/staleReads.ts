import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick, shortHash } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

const valuesOf = (instance: IDataObject) => shortHash(KEYS.map((key) => instance[key] ?? null));
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));

/** Whether what was returned is what an instance was before a state: a replica may lag behind. */
function isStale(returned: IDataObject, { instance, earlier }: WrittenState): boolean {
	const [time, stateTime] = [timeOf(returned), timeOf(instance)];
	// Times may be unknown, or in whole seconds.
	return time < stateTime || (earlier.has(valuesOf(returned)) && !(time > stateTime));
}

/** The newer of what was read and what this execution has written. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	return written !== undefined && isStale(read, written) ? written.instance : read;
}

/**
 * The state after an update of the newest state that was known.
 * @param returned the instance, or a part of it; undefined if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	{ read, current, body }: Record<'read' | 'current' | 'body', IDataObject>,
	returned: IDataObject | undefined,
): WrittenState {
	const earlier = previous?.earlier ?? new Set();
	earlier.add(valuesOf(read)).add(valuesOf(current));
	const isNews = returned && !isStale({ ...read, ...returned }, { instance: current, earlier });
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const news = isNews ? pick(returned, [...KEYS, 'last_updated_time']) : {};
	return { instance: { ...sent, ...news }, earlier };
}
