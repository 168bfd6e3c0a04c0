import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { isObject } from '../values/json';

type Value = IDataObject[string];

/** What one poll saw of an instance. */
export interface Observation {
	id: number;
	/** As the service returned it; undefined when the service didn't find it. */
	instance: IDataObject | undefined;
	/** When, in milliseconds since 1970, by the service's clock if the response has a date. */
	at: number;
}

/** What is stored for one event of an instance. */
interface Memory {
	/** What was last seen; undefined when the event is new. */
	last: Value;
	/** Of a change, how many times it was emitted; of overdue, the earlier deadlines. */
	past?: Value;
}

/** What to store from now on and, if the event has happened, what sets it apart from others of its name. */
interface Outcome extends Memory {
	identity?: unknown[];
	/** `{ <field>: { from, to } }` */
	changes?: IDataObject;
}

interface WatchedEvent {
	/** Under which its memory is stored. It never changes, since published triggers have it. */
	letter: string;
	/** Compares what is stored with what is observed; returns the same memory when there is nothing new. */
	compare(memory: Memory, observation: Observation, base: Value): Outcome;
	/** Changes as the event could have them, for the instance as it is. */
	exampleOf(observation: Observation): IDataObject;
	/** Whether the instance is in the state that the event begins; absent for a change. */
	isNow?(observation: Observation): boolean;
}

/** What is stored of a time that is not set. */
const NOT_YET = 0;

/** A time of the service in seconds since 1970, which is short; undefined when it isn't a time. */
export function seconds(value: unknown): number | undefined {
	const time = DateTime.fromISO(String(value), { zone: 'utc' });
	return time.isValid ? time.toMillis() / 1000 : undefined;
}

function toMoment(value: Value): Value {
	if (value === null || value === '') return NOT_YET;
	return seconds(value) ?? String(value);
}

function showMoment(stored: Value): Value {
	if (typeof stored !== 'number' || stored === NOT_YET) return stored || null;
	return DateTime.fromSeconds(stored, { zone: 'utc' }).toISO({ suppressMilliseconds: true });
}

/** Whether an instance is completed or aborted. */
export function isFinished({ instance }: Observation): boolean {
	return Boolean(instance?.completed_time) || Boolean(instance?.aborted_time);
}

/** Without the order of an object's keys. */
function json(value: unknown): string {
	const inOrder = (_key: string, each: unknown) =>
		isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each;
	return JSON.stringify(value, inOrder);
}

/** A list without its order. */
function members(list: Value): string {
	return Array.isArray(list) ? json(list.map((entry: unknown) => json(entry)).sort()) : json(list);
}

/**
 * A state that begins at a moment, which `observe` returns: NOT_YET before it, undefined when the response
 * doesn't say. With `recurs`, the same moment may begin it again, under another identity.
 */
function stateEvent(
	letter: string,
	field: string,
	observe: (observation: Observation, last?: Value) => Value,
	recurs = false,
): WatchedEvent {
	return {
		letter,
		compare(memory, observation) {
			const { last, past } = memory;
			const now = observe(observation, last);
			if (now === undefined || now === last) return memory;
			const earlier = recurs ? [past ?? [], last || []].flat() : [];
			const next = { last: now, past: earlier.length > 0 ? earlier : undefined };
			if (now === NOT_YET) return next;
			const repeats = earlier.filter((each) => each === now).length;
			const change = { from: showMoment(last), to: observation.instance?.[field] };
			return { ...next, identity: [json(now), repeats || []].flat(), changes: { [field]: change } };
		},
		exampleOf({ instance, at }) {
			return { [field]: { from: null, to: instance?.[field] || showMoment(at / 1000) } };
		},
		isNow: (observation) => Boolean(observe(observation)),
	};
}

/** A time that is set. When it's taken back, the last one still counts, since it may come again. */
function timeEvent(letter: string, field: string): WatchedEvent {
	return stateEvent(letter, field, ({ instance }, last = NOT_YET) => {
		const moment = instance?.[field] === undefined ? undefined : toMoment(instance[field]);
		return moment === NOT_YET ? last : moment;
	});
}

/** The deadline, once it has passed. It still counts after the instance has finished. */
function passedDeadline(observation: Observation, last?: Value): Value {
	const { instance: { deadline } = {}, at } = observation;
	if (deadline === undefined) return undefined;
	const due = seconds(deadline) ?? Infinity;
	if (at > due * 1000 && !isFinished(observation)) return due;
	return toMoment(deadline) === last ? last : NOT_YET;
}

/** What sets a change apart, and how many times there was one then. */
function counted({ past = 0 }: Memory, from: string, to: string, base: Value = null) {
	return { past: Number(past) + 1, identity: [from, to, base, past] };
}

/** A field that has another value; `textOf` returns the same text for values of the same meaning. */
function changeEvent(
	letter: string,
	field: string,
	example: Value,
	textOf: (value: Value) => string = json,
): WatchedEvent {
	return {
		letter,
		compare(memory, { instance }, base) {
			const { last } = memory;
			const now = instance?.[field];
			if (now === undefined) return memory;
			if (last === undefined) return { last: now };
			const [from, to] = [textOf(last), textOf(now)];
			if (from === to) return memory;
			const changes = { [field]: { from: last, to: now } };
			return { last: now, ...counted(memory, from, to, base), changes };
		},
		exampleOf({ instance }) {
			const to = instance?.[field] ?? null;
			return { [field]: { from: textOf(to) === textOf(example) ? null : example, to } };
		},
	};
}

const FOUND = 1;
const ABSENT = 0;

const notFoundEvent: WatchedEvent = {
	letter: 'f',
	compare(memory, { instance }, base) {
		const { last } = memory;
		const now = instance === undefined ? ABSENT : FOUND;
		if (now === last) return memory;
		if (last === undefined || now === FOUND) return { ...memory, last: now };
		return { last: now, ...counted(memory, json(last), json(now), base) };
	},
	exampleOf: () => ({}),
};

const deadlineText = (deadline: Value) => json(seconds(deadline) ?? deadline);
const nameText = (name: Value) => json(name ?? '');
const ASSIGNMENTS = [{ step_id: 1, user_id: 1 }];

/** All events by their names. */
export const EVENTS = {
	aborted: timeEvent('a', 'aborted_time'),
	activeStepsChanged: changeEvent('p', 'active_step_ids', [1], members),
	completed: timeEvent('c', 'completed_time'),
	deadlineChanged: changeEvent('d', 'deadline', '2026-01-31T17:00:00Z', deadlineText),
	nameChanged: changeEvent('n', 'name', 'Another Name', nameText),
	notFound: notFoundEvent,
	overdue: stateEvent('o', 'deadline', passedDeadline, true),
	priorityChanged: changeEvent('r', 'priority', 'H'),
	stageChanged: changeEvent('s', 'stage', 'Another Stage'),
	stepAssignmentsChanged: changeEvent('u', 'step_assignments', ASSIGNMENTS, members),
	tagsChanged: changeEvent('t', 'tags', ['another-tag'], members),
};

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName =>
	Object.hasOwn(EVENTS, name),
);
