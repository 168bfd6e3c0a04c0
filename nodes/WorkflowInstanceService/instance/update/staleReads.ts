import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

/** When an instance was last changed, in milliseconds since 1970; -Infinity if unknown. */
function timeOf({ last_updated_time: time }: IDataObject): number {
	const parsed = Date.parse(String(time));
	return Number.isNaN(parsed) ? -Infinity : parsed;
}

/** The newer of what was read and what this run of the node has written: a replica may lag behind. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	if (written === undefined) return read;
	const time = timeOf(read);
	// Many services know the second only: then what was read may still be the state that was replaced.
	const isStale = time < timeOf(written.instance) || time <= written.replacedAt;
	// A copy, since later nodes may change what is returned.
	return isStale ? { ...read, ...structuredClone(written.instance) } : read;
}

/**
 * What an update has written over the newest state before it.
 * @param returned the instance, or a part of it; empty if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	current: IDataObject,
	body: IDataObject,
	returned: IDataObject = {},
): WrittenState {
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const own = { last_updated_time: null, ...sent };
	return {
		instance: { ...own, ...pick(returned, Object.keys(own)) },
		replacedAt: Math.max(timeOf(current), previous?.replacedAt ?? -Infinity),
	};
}
