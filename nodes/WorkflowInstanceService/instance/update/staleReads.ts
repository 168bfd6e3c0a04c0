import type { IDataObject } from 'n8n-workflow';

import type { WrittenState } from '../../n8n/executionMemory';
import { pick } from '../../values/json';
import { FIELDS } from './fields';

const KEYS = FIELDS.map(({ key }) => key);

/** When an instance was last changed, in milliseconds since 1970; NaN if unknown, which is neither earlier nor later. */
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));

/** The newer of what was read and what this run of the node has written: a replica may lag behind. */
export function newest(read: IDataObject, written: WrittenState | undefined): IDataObject {
	if (written === undefined) return read;
	const time = timeOf(read);
	// Many services store whole seconds only, so an equal time may still be that of the state that was replaced.
	const isStale = time < timeOf(written.instance) || time <= written.replacedAt;
	// A copy, since later nodes may change what is returned.
	return isStale ? { ...read, ...structuredClone(written.instance) } : read;
}

/**
 * The state that an update has written on top of the newest one before it.
 * @param returned the instance, or part of it; empty if the service returned none
 */
export function stateAfter(
	previous: WrittenState | undefined,
	current: IDataObject,
	body: IDataObject,
	returned: IDataObject = {},
): WrittenState {
	const [before, after] = [timeOf(current), timeOf(returned)];
	const { replacedAt = -Infinity } = previous ?? {};
	const sent = Object.fromEntries(KEYS.map((key) => [key, body[key] ?? null]));
	// The service may return the state before the update.
	const own = after > before ? pick(returned, KEYS) : {};
	// Only the service knows the time.
	const { last_updated_time = null } = returned;
	const instance = { ...sent, ...own, last_updated_time };
	return { instance, replacedAt: before > replacedAt ? before : replacedAt };
}
