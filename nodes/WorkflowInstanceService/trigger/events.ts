import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { fromIsoOrSql } from '../values/deadline';
import { isObject } from '../values/json';

type Value = IDataObject[string];

/** An instance as one poll read it. */
export interface Observation {
	id: number;
	/** As the service returned it; undefined when the service didn't find it. */
	instance: IDataObject | undefined;
	/** When, in milliseconds since 1970, by the service's clock if the response has a date. */
	at: number;
}

/** What is stored of one event of an instance. */
interface StoredEvent {
	/** The last value; undefined while the event isn't watched. */
	last: Value;
	/** How many times it has happened. It also counts on after the event was not watched for a while. */
	count: number;
}

/** What to store from now on and, if the event has happened, what distinguishes it from all others. */
interface Comparison extends StoredEvent {
	identity?: unknown[];
	/** `{ <field>: { from, to } }` */
	changes?: IDataObject;
}

interface WatchedEvent {
	/** The key under which it is stored. It never changes, since published triggers have it. */
	letter: string;
	compare(stored: StoredEvent, observation: Observation, firstSeen: Value): Comparison;
	/** Changes as the event could have them, for the instance as it is. */
	exampleOf(observation: Observation): IDataObject;
	/** Whether the instance is in the state that the event begins; absent for a change. */
	isNow?(observation: Observation): boolean;
	/** The fields in which a state needs times. */
	times?: readonly string[];
}

/** What is stored of a time that is not set. */
const NOT_YET = 0;
/** Where a time is reached last: what has passed there has passed in every time zone. */
const LAST_ZONE = 'UTC-12';
const DATE_AND_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i;

/** A date and time in seconds since 1970, which is short; undefined for anything else. */
export function secondsOf(value: Value, zoneWithoutOffset = 'UTC'): number | undefined {
	if (typeof value !== 'string' || !DATE_AND_TIME.test(value)) return undefined;
	const time = fromIsoOrSql(value, { zone: zoneWithoutOffset });
	return time.isValid ? time.toMillis() / 1000 : undefined;
}

function isoOf(seconds: number): string | null {
	return DateTime.fromSeconds(seconds, { zone: 'UTC' }).toISO({ suppressMilliseconds: true });
}

function isNothing(value: Value): boolean {
	const isEmptyList = Array.isArray(value) && value.length === 0;
	return value === undefined || value === null || value === '' || isEmptyList;
}

/** Whether there is something in place of a time that isn't one. */
export function isUnreadableTime(value: Value): boolean {
	return !isNothing(value) && secondsOf(value) === undefined;
}

/** Whether an instance is completed or aborted. */
export function isFinished({ instance }: Observation): boolean {
	const times = [instance?.completed_time, instance?.aborted_time];
	return times.some((time) => secondsOf(time) !== undefined);
}

/** JSON without the order of an object's keys. */
export function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, each: unknown) => {
		if (!isObject(each)) return each;
		const keys = Object.keys(each).sort();
		return Object.fromEntries(keys.map((key) => [key, each[key]]));
	});
}

/** The same text for values of the same meaning: empty ones, and lists in any order. */
function meaningOf(value: Value): string {
	if (isNothing(value)) return canonical(null);
	return canonical(Array.isArray(value) ? value.map((each) => canonical(each)).sort() : value);
}

/**
 * A state that begins at the time in a field. `observe` returns that time in seconds, NOT_YET before it, and
 * undefined when the response doesn't say.
 */
function stateEvent(
	letter: string,
	field: string,
	observe: (observation: Observation, last?: Value) => number | undefined,
	times = [field],
): WatchedEvent {
	return {
		letter,
		compare(stored, observation) {
			const { last, count } = stored;
			const now = observe(observation, last);
			if (now === undefined || now === last) return stored;
			if (now === NOT_YET) return { ...stored, last: now };
			const from = last ? isoOf(Number(last)) : null;
			const changes = { [field]: { from, to: observation.instance?.[field] } };
			const identity = [canonical(now), count || []].flat();
			return { last: now, count: count + 1, identity, changes };
		},
		exampleOf({ instance, at }) {
			const value = instance?.[field];
			const isTime = secondsOf(value) !== undefined;
			return { [field]: { from: null, to: isTime ? value : isoOf(at / 1000) } };
		},
		isNow: (observation) => Boolean(observe(observation)),
		times,
	};
}

/** A time that is set. When it's taken back, the last one still counts, since it may come again. */
function timeEvent(letter: string, field: string): WatchedEvent {
	return stateEvent(letter, field, ({ instance }, last = NOT_YET) => {
		if (instance?.[field] === undefined) return undefined;
		return secondsOf(instance[field]) ?? Number(last);
	});
}

const OVERDUE_TIMES = ['deadline', 'completed_time', 'aborted_time'];

/** The deadline, once it has certainly passed. It still counts after the instance has finished. */
function passedDeadline(observation: Observation, last?: Value): number | undefined {
	const { instance, at } = observation;
	if (instance?.deadline === undefined) return undefined;
	if (OVERDUE_TIMES.some((field) => isUnreadableTime(instance[field]))) return undefined;
	const deadline = secondsOf(instance.deadline) ?? NOT_YET;
	const passesAt = secondsOf(instance.deadline, LAST_ZONE) ?? Infinity;
	const isOverdue = at > passesAt * 1000 && !isFinished(observation);
	return isOverdue || deadline === last ? deadline : NOT_YET;
}

/** A field that has another value; `textOf` returns the same text for values of the same meaning. */
function changeEvent(
	letter: string,
	field: string,
	example: Value,
	textOf = meaningOf,
): WatchedEvent {
	return {
		letter,
		compare(stored, { instance }, firstSeen) {
			const { last, count } = stored;
			const now = instance?.[field];
			if (now === undefined) return stored;
			if (last === undefined) return { ...stored, last: now };
			const [from, to] = [textOf(last), textOf(now)];
			if (from === to) return stored;
			const changes = { [field]: { from: last, to: now } };
			return { last: now, count: count + 1, identity: [from, to, firstSeen, count], changes };
		},
		exampleOf({ instance }) {
			const to = instance?.[field] ?? null;
			return { [field]: { from: textOf(to) === textOf(example) ? null : example, to } };
		},
	};
}

const deadlineText = (deadline: Value) => meaningOf(secondsOf(deadline) ?? deadline);

const FOUND = 1;
const ABSENT = 0;

const notFoundEvent: WatchedEvent = {
	letter: 'f',
	compare(stored, { instance }, firstSeen) {
		const { last, count } = stored;
		const now = instance === undefined ? ABSENT : FOUND;
		if (now === FOUND || last !== FOUND) return { ...stored, last: now };
		const identity = [canonical(FOUND), canonical(ABSENT), firstSeen, count];
		return { last: now, count: count + 1, identity };
	},
	exampleOf: () => ({}),
};

/** All events by their names. */
export const EVENTS = {
	aborted: timeEvent('a', 'aborted_time'),
	activeStepsChanged: changeEvent('p', 'active_step_ids', [1]),
	completed: timeEvent('c', 'completed_time'),
	deadlineChanged: changeEvent('d', 'deadline', '2026-01-31T17:00:00Z', deadlineText),
	nameChanged: changeEvent('n', 'name', 'Another Name'),
	notFound: notFoundEvent,
	overdue: stateEvent('o', 'deadline', passedDeadline, OVERDUE_TIMES),
	priorityChanged: changeEvent('r', 'priority', 'H'),
	stageChanged: changeEvent('s', 'stage', 'Another Stage'),
	stepAssignmentsChanged: changeEvent('u', 'step_assignments', [{ step_id: 1, user_id: 1 }]),
	tagsChanged: changeEvent('t', 'tags', ['another-tag']),
};

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName =>
	Object.hasOwn(EVENTS, name),
);
