import type { IDataObject } from 'n8n-workflow';

import { shortHash } from '../values/json';
import { EVENTS, isFinished, type Observation, seconds } from './events';
import type { Settings } from './settings';

/**
 * What is stored of an instance: under the letter of each event what was last seen, under the letter and
 * `#` its past, under `b` the instance's last update when its changes were first watched for, and `x`
 * alone when it is no longer checked. What is undefined is not stored.
 */
export type Entry = IDataObject;

/** Whether an instance is no longer checked, since it was finished. */
export function isNoLongerWatched(entry: Entry | undefined): boolean {
	return entry?.x !== undefined;
}

/** The last update before the changes of an instance were watched for, in seconds. It is never set later. */
function baseOf(known: Entry, { instance }: Observation, events: Settings['events']) {
	const changes = events.map((event) => EVENTS[event]).filter(({ isNow }) => isNow === undefined);
	const isWatched = changes.some(({ letter }) => known[letter] !== undefined);
	if (isWatched || changes.length === 0) return known.b;
	const updated = seconds(instance?.last_updated_time);
	return updated && Math.floor(updated);
}

/** A time that the response with which an event begins to be watched leaves out counts as not set. */
const LEFT_OUT = { completed_time: null, aborted_time: null, deadline: null };

/**
 * Compares what a poll saw of an instance with what is stored. What is stored changes only with an event,
 * or when something is first seen: so if the outcome of a poll is lost, the next one emits the same.
 *
 * @param entry what is stored; undefined when the instance is seen for the first time
 * @returns what to store, what to emit, and whether something has to be stored that is not emitted
 */
export function detectEvents(
	id: number,
	entry: Entry | undefined,
	observation: Observation,
	{ events, emitFirst, keepFinished }: Pick<Settings, 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { instance, at } = observation;
	const known = entry ?? {};
	const base = baseOf(known, observation, events);
	const detected = events.map((event) => {
		const { letter, compare } = EVENTS[event];
		const memory = { last: known[letter], past: known[`${letter}#`] };
		const isFirst = memory.last === undefined;
		const withTimes = isFirst && instance ? { ...LEFT_OUT, ...instance } : instance;
		const next = compare(memory, { instance: withTimes, at }, base);
		const { last, past, identity, changes = {} } = next;
		const stored = { [letter]: last, [`${letter}#`]: past };
		// What an instance already is, is emitted for a new instance, not for an event that the user adds later.
		const isEmitted = identity && (!isFirst || (emitFirst && entry === undefined));
		if (!isEmitted) return { stored, emitted: [], isFirstSight: next !== memory };
		const eventId = `${id}-${event}-${shortHash([id, event, ...identity])}`;
		return { stored, emitted: [{ event, eventId, changes }], isFirstSight: false };
	});
	const isDropped = !keepFinished && isFinished(observation);
	const next = detected.reduce<Entry>((all, { stored }) => ({ ...all, ...stored }), { b: base });
	return {
		entry: isDropped ? { x: 1 } : next,
		triggerEvents: detected.flatMap(({ emitted }) => emitted),
		isFirstSight: detected.some(({ isFirstSight }) => isFirstSight),
	};
}

/**
 * A sample for the editor: an event as it could be for the instance as it is now. Its ID is another than
 * that of the event: a node that drops duplicates would drop the event.
 */
export function sampleOf(id: number, observation: Observation, events: Settings['events']) {
	const event = events.find((each) => EVENTS[each].isNow?.(observation)) ?? events[0];
	const changes = EVENTS[event].exampleOf(observation);
	return { event, eventId: `${id}-${event}-sample`, changes };
}
