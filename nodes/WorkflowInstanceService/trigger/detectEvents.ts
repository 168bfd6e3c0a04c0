import type { IDataObject } from 'n8n-workflow';

import { pick, shortHash } from '../values/json';
import {
	type Detection,
	type EventName,
	EVENTS,
	isFinished,
	type Observation,
	seconds,
	valueOf,
	type Watch,
	type WatchedEvent,
} from './events';

/**
 * What is stored of an instance: under the letter of each event what it observed last, under the letter
 * and `#` its past, under `b` the instance's last update when its changes were first watched for, and
 * `x` alone when it is no longer checked.
 */
export type InstanceState = IDataObject;

/** One event at least. */
export type ChosenEvents = readonly [EventName, ...EventName[]];

export interface WatchSettings {
	events: ChosenEvents;
	emitFirst: boolean;
	keepFinished: boolean;
}

/** An event of an instance. */
export interface TriggerEvent {
	event: EventName;
	/** The same whenever the same change is emitted again, and no other change has it. */
	eventId: string;
	/** What changed, as `{ <field>: { from, to } }`. */
	changes: IDataObject;
}

/** What came of comparing an instance with what is stored. */
export interface Comparison {
	/** What to store from now on. */
	entry: InstanceState;
	triggerEvents: TriggerEvent[];
	/** Whether something is stored that no event tells, so that it has to be saved without one. */
	isFirstSight: boolean;
}

const BASE = 'b';
const NOT_CHECKED = 'x';
/** No event may have these. */
export const RESERVED_LETTERS = [BASE, NOT_CHECKED];

/** Whether an instance is no longer checked, since it was finished. */
export function isNoLongerWatched(entry: InstanceState | undefined): boolean {
	return entry !== undefined && Object.hasOwn(entry, NOT_CHECKED);
}

/**
 * The last update before the changes of an instance were watched for, in seconds. It is never set later:
 * a change must not be emitted again with another ID.
 */
function baseOf(
	known: InstanceState,
	observation: Observation,
	events: ChosenEvents,
): InstanceState {
	const changes = events.map((event) => EVENTS[event]).filter(({ isState }) => !isState);
	const isWatched = changes.some(({ letter }) => Object.hasOwn(known, letter));
	if (isWatched || changes.length === 0) return pick(known, [BASE]);
	const updated = seconds(valueOf(observation, 'last_updated_time'));
	return updated === undefined ? {} : { [BASE]: Math.floor(updated) };
}

/** A moment that the response with which an event begins to be watched leaves out counts as not set. */
const LEFT_OUT = { completed_time: null, aborted_time: null, deadline: null };

/** Compares for one event. Returns what to store for it, and what is new. */
function detect(
	{ letter, detect: compare }: WatchedEvent,
	known: InstanceState,
	observation: Observation,
	watch: Watch,
): { stored: InstanceState; detection: Detection | undefined } {
	const memory = { last: known[letter], past: known[`${letter}#`] };
	const { instance } = observation;
	const isFirst = memory.last === undefined && instance !== undefined;
	const seen = isFirst ? { ...observation, instance: { ...LEFT_OUT, ...instance } } : observation;
	const detection = compare(memory, seen, watch);
	const { last, past } = detection ?? memory;
	const stored = {
		...(last !== undefined && { [letter]: last }),
		...(past !== undefined && { [`${letter}#`]: past }),
	};
	return { stored, detection };
}

function isDone({ instance }: Observation): boolean {
	return instance !== undefined && isFinished(instance);
}

/**
 * Compares what a poll saw of an instance with what is stored. What is stored changes only with an event,
 * or when something is first seen: so if the outcome of a poll is lost, the next one emits the same.
 *
 * @param entry what is stored; undefined when the instance is seen for the first time
 */
export function detectEvents(
	id: number,
	entry: InstanceState | undefined,
	observation: Observation,
	{ events, emitFirst, keepFinished }: WatchSettings,
): Comparison {
	const known = entry ?? {};
	const watch = { emitsState: emitFirst && entry === undefined, base: known[BASE] };
	const next = baseOf(known, observation, events);
	const triggerEvents: TriggerEvent[] = [];
	let isFirstSight = false;
	for (const event of events) {
		const { stored, detection } = detect(EVENTS[event], known, observation, watch);
		Object.assign(next, stored);
		if (detection === undefined) continue;
		const { identity, changes = {} } = detection;
		isFirstSight ||= identity === undefined;
		if (identity === undefined) continue;
		const eventId = `${id}-${event}-${shortHash([id, event, ...identity])}`;
		triggerEvents.push({ event, eventId, changes });
	}
	const isDropped = !keepFinished && isDone(observation);
	return { entry: isDropped ? { [NOT_CHECKED]: 1 } : next, triggerEvents, isFirstSight };
}

/**
 * A sample for the editor: an event as it could be for the instance as it is now. Its ID is another than
 * that of the event: a node that drops duplicates would drop the event.
 */
export function sampleOf(id: number, observation: Observation, events: ChosenEvents): TriggerEvent {
	const event = events.find((each) => EVENTS[each].sample(observation).isNow) ?? events[0];
	const { changes } = EVENTS[event].sample(observation);
	return { event, eventId: `${id}-${event}-sample`, changes };
}
