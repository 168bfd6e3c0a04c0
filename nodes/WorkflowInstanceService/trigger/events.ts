import type { IDataObject } from 'n8n-workflow';

import { fromIsoOrSql } from '../values/deadline';
import { isObject, pick, shortHash } from '../values/json';
import { isEmpty } from '../values/userFacingError';
import type { EventName, Settings } from './settings';

type Value = IDataObject[string];

/** An instance as one poll read it. */
export interface Observation {
	id: number;
	/** As the service returned it; undefined when the service didn't find it. */
	instance: IDataObject | undefined;
	/** When, in milliseconds since 1970, by the service's clock if the response has a date. */
	at: number;
}

interface WatchedEvent {
	/** The key under which it is stored. It never changes, since published triggers have it. */
	letter: string;
	/** The field that changes; empty for Not Found. */
	field: string;
	/** What a sample says that the field was before; undefined for a state. */
	example?: Value;
	/** When a state began, in seconds, or NOT_YET; undefined when the response doesn't say. */
	since?(observation: Observation, last: Value, firstSeenAt: Value): Value;
}

const NOT_YET = 0;
/** Where a time without an offset is reached last, so that it has passed in every time zone. */
const LAST_ZONE = 'UTC-12';
const DATE_AND_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i;
const FINISHED_TIMES = ['completed_time', 'aborted_time'];

/** A date and time in seconds since 1970, which is short; undefined for anything else. */
function secondsOf(value: Value): number | undefined {
	if (typeof value !== 'string' || !DATE_AND_TIME.test(value)) return undefined;
	const time = fromIsoOrSql(value, { zone: LAST_ZONE });
	return time.isValid ? time.toSeconds() : undefined;
}

function isoOf(seconds: Value): string | null {
	return seconds ? new Date(Number(seconds) * 1000).toISOString() : null;
}

/** JSON without the order of an object's keys. */
export function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, each: unknown) =>
		isObject(each) ? pick(each, Object.keys(each).sort()) : each,
	);
}

/** The same text for values of the same meaning: empty ones, deadlines in any zone, lists in any order. */
function meaningOf({ field }: WatchedEvent, value: Value): string {
	if (isEmpty(value)) return canonical(null);
	const deadline = field === 'deadline' ? secondsOf(value) : undefined;
	if (!Array.isArray(value)) return canonical(deadline ?? value);
	return canonical(value.length > 0 ? value.map((each) => canonical(each)).sort() : null);
}

/** A time that is set. When it's taken back, the last one still counts, since it may come again. */
function timeIn(field: string): WatchedEvent['since'] {
	return ({ instance }, last = NOT_YET) => instance && (secondsOf(instance[field]) ?? last);
}

/** The deadline, once it has certainly passed. It still counts after the instance has finished. */
function passedDeadline({ instance, at }: Observation, last: Value): Value {
	if (instance?.deadline === undefined) return undefined;
	const deadline = secondsOf(instance.deadline) ?? Infinity;
	const isOpen = FINISHED_TIMES.every((field) => isEmpty(instance[field]));
	const isOverdue = at > deadline * 1000 && isOpen;
	return isOverdue || deadline === last ? deadline : NOT_YET;
}

const EVENTS: Record<EventName, WatchedEvent> = {
	aborted: { letter: 'a', field: 'aborted_time', since: timeIn('aborted_time') },
	activeStepsChanged: { letter: 'p', field: 'active_step_ids', example: [1] },
	completed: { letter: 'c', field: 'completed_time', since: timeIn('completed_time') },
	deadlineChanged: { letter: 'd', field: 'deadline', example: '2026-01-31T17:00:00Z' },
	nameChanged: { letter: 'n', field: 'name', example: 'Another Name' },
	notFound: {
		letter: 'f',
		field: '',
		// Not when it was noticed: a later poll, which may have to report it again, would not know that.
		since: ({ instance }, _last, firstSeenAt) => (instance ? NOT_YET : firstSeenAt),
	},
	overdue: { letter: 'o', field: 'deadline', since: passedDeadline },
	priorityChanged: { letter: 'r', field: 'priority', example: 'H' },
	stageChanged: { letter: 's', field: 'stage', example: 'Another Stage' },
	stepAssignmentsChanged: {
		letter: 'u',
		field: 'step_assignments',
		example: [{ step_id: 1, user_id: 1 }],
	},
	tagsChanged: { letter: 't', field: 'tags', example: ['another-tag'] },
};

/** Whether the event has happened, if its value is another one than the last. */
function hasHappened({ since }: WatchedEvent, now: Value, last: Value): boolean {
	return since ? now !== NOT_YET : last !== undefined;
}

function changesOf({ field }: WatchedEvent, from: Value, to: Value): IDataObject {
	return field === '' ? {} : { [field]: { from, to } };
}

/** Compares an event's last value with what is observed; an identity distinguishes it from all others. */
function compare(event: WatchedEvent, known: IDataObject, observation: Observation) {
	const { letter, field, since } = event;
	const { [letter]: last, [`${letter}#`]: count = 0, b } = known;
	const current = observation.instance?.[field];
	const now = since ? since(observation, last, b) : current;
	const [from, to] = [meaningOf(event, last), meaningOf(event, now)];
	if (now === undefined || (last !== undefined && from === to)) return { last, count };
	if (!hasHappened(event, now, last)) return { last: now, count };
	const identity = since ? [to, count] : [from, to, b, count];
	const changes = changesOf(event, since ? isoOf(last) : last, current);
	return { last: now, count: Number(count) + 1, identity, changes };
}

/**
 * Compares an observation with what is stored of the instance (docs/dev/architecture.md#what-a-poll-does), if
 * anything. If what comes of it is lost, the next poll returns the same events, since nothing from a later
 * response is part of their IDs.
 */
export function detectEvents(
	stored: IDataObject | undefined,
	observation: Observation,
	{ events, emitFirst, keepFinished }: Pick<Settings, 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { id, instance, at } = observation;
	const known: IDataObject = { b: Math.round(at / 1000), ...stored };
	// The counts stay whatever is watched, so that an ID is never given to another event.
	const next = Object.fromEntries(Object.entries(known).filter(([key]) => /^(b|.#)$/.test(key)));
	const atFirst = { ...observation, instance: instance && { deadline: null, ...instance } };
	const triggerEvents = events.flatMap((event) => {
		const { letter } = EVENTS[event];
		const isFirst = known[letter] === undefined;
		const compared = compare(EVENTS[event], known, isFirst ? atFirst : observation);
		const { last, count, identity, changes } = compared;
		next[letter] = last;
		if (count !== 0) next[`${letter}#`] = count;
		// What an instance already is, is emitted for a new instance, not for an event that the user adds later.
		if (!identity || (isFirst && !(emitFirst && stored === undefined))) return [];
		return [{ event, eventId: `${id}-${event}-${shortHash([id, event, ...identity])}`, changes }];
	});
	const isFinished = FINISHED_TIMES.some((field) => secondsOf(instance?.[field]) !== undefined);
	return { stored: isFinished && !keepFinished ? { x: 1 } : next, triggerEvents };
}

/** A sample event. With a real event's ID, a node that removes duplicates would later drop the real one. */
export function sampleOf(observation: Observation, events: Settings['events']) {
	const { id, instance, at } = observation;
	const hasBegun = (each: EventName) => EVENTS[each].since?.(observation, NOT_YET, NOT_YET);
	const name = events.find(hasBegun) ?? events[0];
	const event = EVENTS[name];
	const { field, example = null, since } = event;
	const value = instance?.[field] ?? null;
	const from = meaningOf(event, value) === meaningOf(event, example) ? null : example;
	const to = since && secondsOf(value) === undefined ? isoOf(at / 1000) : value;
	const changes = changesOf(event, from, to);
	return { sample: true, event: name, eventId: `${id}-${name}-sample`, changes };
}
