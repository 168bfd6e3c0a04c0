import type { IDataObject } from 'n8n-workflow';

import type { InstanceState } from '../../n8n/executionMemory';
import { FIELDS } from './fields';

/** What an update sends back, and when it was changed, without the snapshot, which may be large. */
const STATE_KEYS = [...FIELDS.map(({ key }) => key), 'last_updated_time'];
/** What was read or written so many times before isn't looked for: a replica lags by less. */
const MOST_STATES = 100;

function stateOf(instance: IDataObject, isTimeKnown = true): InstanceState {
	const entries = STATE_KEYS.map((key) => [key, instance[key] ?? null] as const);
	const earliest = Date.parse(String(instance.last_updated_time));
	const latest = isTimeKnown ? earliest : Infinity;
	return { instance: Object.fromEntries(entries), earliest, latest };
}

/** Whether a state is certainly older than another. */
const isOlder = (one: InstanceState, other: InstanceState) => one.latest < other.earliest;

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
export function newest(read: IDataObject, states: readonly InstanceState[]): IDataObject {
	const written = states.at(-1);
	if (written === undefined) return read;
	const state = stateOf(read);
	if (isOlder(written, state)) return read;
	const isEarlier = states.slice(0, -1).some((each) => mayBeSame(each, state));
	return isEarlier || isOlder(state, written) ? written.instance : read;
}

/** An update: what was read before, the newest state that is known, and what was sent. */
interface Write {
	read: IDataObject;
	current: IDataObject;
	body: IDataObject;
}

/**
 * The states after an update.
 * @param returned the instance, or a part of it; undefined if the service returned none
 */
export function statesAfter(
	states: readonly InstanceState[],
	{ read, current, body }: Write,
	returned: IDataObject | undefined,
): InstanceState[] {
	const known = [...states, stateOf(read)];
	const state = stateOf({ ...read, ...returned });
	// A replica may also have answered with the instance as it was.
	const isStale = known.some((each) => mayBeSame(state, each) || isOlder(state, each));
	const news: IDataObject = returned === undefined || isStale ? {} : returned;
	const sent = Object.fromEntries(FIELDS.map(({ key }) => [key, body[key] ?? null]));
	// Only the service knows the time.
	const after = stateOf({ ...current, ...sent, ...news }, Boolean(news.last_updated_time));
	const earlier = known.filter((each) => !isOlder(each, after));
	return [...earlier.slice(-MOST_STATES), after];
}
