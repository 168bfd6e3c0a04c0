import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { isObject } from '../values/json';

/** What an event observes of an instance, as JSON; undefined when the response doesn't contain it. */
export type Observed = IDataObject[string];

/** What one poll saw of an instance. */
export interface Observation {
	/** As the service returned it; undefined when the service didn't find it. */
	instance: IDataObject | undefined;
	/** When, in milliseconds since 1970, by the service's clock if the response has a date. */
	at: number;
}

/** What is stored for one event of an instance. */
export interface Memory {
	/** What it observed last; undefined when the event is new. */
	last: Observed;
	/** Of a change, how many times it was emitted; of overdue, the earlier deadlines. */
	past: Observed;
}

/** What to store from now on and, if the event has happened, what to emit. */
export interface Detection extends Memory {
	/** What sets the event apart from all others of this name. */
	identity?: unknown[];
	/** `{ <field>: { from, to } }` */
	changes?: IDataObject;
}

/** What an event depends on besides its memory. */
export interface Watch {
	/** Whether an instance that is already in a state emits it. */
	emitsState: boolean;
	/** What sets the changes of this watch apart from those of an earlier one. */
	base: Observed;
}

/** An event that can be watched for. */
export interface WatchedEvent {
	/** Under which its memory is stored. It never changes, since published triggers have it. */
	letter: string;
	/** Whether an instance can already be like this when it is first seen. */
	isState: boolean;
	/** Compares what is stored with what is observed; undefined when there is nothing new. */
	detect(memory: Memory, observation: Observation, watch: Watch): Detection | undefined;
	/** An example of the event for the instance as it is, and whether it is in this state now. */
	sample(observation: Observation): { isNow: boolean; changes: IDataObject };
}

/** What is stored of a time that is not set. */
const NOT_YET = 0;
const FOUND = 1;
const ABSENT = 0;

/** A time of the service in seconds since 1970, which is short; undefined when it isn't a time. */
export function seconds(value: unknown): number | undefined {
	const time = DateTime.fromISO(String(value), { zone: 'utc' });
	return time.isValid ? time.toMillis() / 1000 : undefined;
}

function toMoment(value: Observed): Observed {
	if (value === null || value === '') return NOT_YET;
	return seconds(value) ?? String(value);
}

function showMoment(stored: Observed): Observed {
	if (typeof stored !== 'number') return stored ?? null;
	if (stored === NOT_YET) return null;
	return DateTime.fromSeconds(stored, { zone: 'utc' }).toISO({ suppressMilliseconds: true });
}

/** Whether an instance is completed or aborted. */
export function isFinished({ completed_time, aborted_time }: IDataObject): boolean {
	return Boolean(completed_time) || Boolean(aborted_time);
}

/** The value of a field; undefined when the response leaves it out, which is no change. */
export function valueOf({ instance = {} }: Observation, field: string): Observed {
	return Object.hasOwn(instance, field) ? instance[field] : undefined;
}

/** Without the order of an object's keys. */
function json(value: Observed): string {
	const inOrder = (_key: string, each: unknown) =>
		isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each;
	return JSON.stringify(value, inOrder);
}

/** A list without its order. */
function members(list: Observed): string {
	return Array.isArray(list) ? json(list.map((entry) => json(entry)).sort()) : json(list);
}

/** A moment sets a state apart from that at another one, but not from that at the same one before. */
function stateIdentity(now: Observed, earlier: Observed[]): unknown[] {
	const repeats = earlier.filter((each) => each === now).length;
	return repeats > 0 ? [json(now), repeats] : [json(now)];
}

/**
 * A state that begins at a moment. What is observed is the moment, or {@link NOT_YET}.
 *
 * @param isOver whether the state has ended, so that the same moment may come again; absent if it never does
 */
function stateEvent(
	field: string,
	observe: (observation: Observation) => Observed,
	isOver?: (last: Observed, observation: Observation) => boolean,
) {
	const ends = (last: Observed, observation: Observation) => isOver?.(last, observation) ?? false;
	const earlierThan = ({ last, past }: Memory) => (isOver ? [past ?? [], last || []].flat() : []);
	return {
		isState: true,
		detect(memory: Memory, observation: Observation, { emitsState }: Watch) {
			const { last } = memory;
			const now = observe(observation);
			if (now === undefined || now === last) return undefined;
			const isNew = last === undefined;
			if (now === NOT_YET && !isNew && !ends(last, observation)) return undefined;
			const earlier = earlierThan(memory);
			const next = { last: now, past: earlier.length > 0 ? earlier : undefined };
			if (now === NOT_YET || (isNew && !emitsState)) return next;
			const change = { from: showMoment(last), to: valueOf(observation, field) };
			return { ...next, identity: stateIdentity(now, earlier), changes: { [field]: change } };
		},
		sample(observation: Observation) {
			const to = valueOf(observation, field) || showMoment(observation.at / 1000);
			return { isNow: Boolean(observe(observation)), changes: { [field]: { from: null, to } } };
		},
	};
}

function momentEvent(field: string) {
	return stateEvent(field, (observation) => {
		const value = valueOf(observation, field);
		return value === undefined ? undefined : toMoment(value);
	});
}

/** The deadline, once it has passed. */
function passedDeadline(observation: Observation): Observed {
	const { instance = {}, at } = observation;
	const deadline = valueOf(observation, 'deadline');
	if (deadline === undefined) return undefined;
	const due = seconds(deadline) ?? Infinity;
	return at > due * 1000 && !isFinished(instance) ? due : NOT_YET;
}

/** Whether the response contains another deadline than the one that had passed. */
function isOtherDeadline(passed: Observed, observation: Observation): boolean {
	const deadline = valueOf(observation, 'deadline');
	return deadline !== undefined && toMoment(deadline) !== passed;
}

/**
 * A value that has become another one. How many times it did sets one change apart from the next.
 *
 * @param identityOf the same text for values of the same meaning
 */
function detectChange(
	{ last, past }: Memory,
	now: Observed,
	{ base = null }: Watch,
	identityOf: (value: Observed) => string = json,
): Detection | undefined {
	if (now === undefined) return undefined;
	if (last === undefined) return { last: now, past };
	const [from, to] = [identityOf(last), identityOf(now)];
	if (from === to) return undefined;
	const count = Number(past ?? 0);
	return { last: now, past: count + 1, identity: [from, to, base, count] };
}

/**
 * A field that has another value.
 *
 * @param example what it may have been before, for samples
 */
function changeEvent(field: string, example: Observed, identityOf = json) {
	return {
		isState: false,
		detect(memory: Memory, observation: Observation, watch: Watch) {
			const now = valueOf(observation, field);
			const detection = detectChange(memory, now, watch, identityOf);
			return detection && { ...detection, changes: { [field]: { from: memory.last, to: now } } };
		},
		sample(observation: Observation) {
			const to = valueOf(observation, field) ?? null;
			const from = identityOf(to) === identityOf(example) ? null : example;
			return { isNow: false, changes: { [field]: { from, to } } };
		},
	};
}

const notFoundEvent = {
	isState: false,
	detect(memory: Memory, { instance }: Observation, watch: Watch) {
		const isBack = instance !== undefined && memory.last === ABSENT;
		if (isBack) return { ...memory, last: FOUND };
		return detectChange(memory, instance === undefined ? ABSENT : FOUND, watch);
	},
	sample: () => ({ isNow: false, changes: {} }),
};

const deadlineIdentity = (deadline: Observed) => json(seconds(deadline) ?? deadline);
const nameIdentity = (name: Observed) => json(name ?? '');

/** All events by their names, in the order in which those of one instance come out. */
export const EVENTS = {
	aborted: { letter: 'a', ...momentEvent('aborted_time') },
	activeStepsChanged: { letter: 'p', ...changeEvent('active_step_ids', [1], members) },
	completed: { letter: 'c', ...momentEvent('completed_time') },
	deadlineChanged: {
		letter: 'd',
		...changeEvent('deadline', '2026-01-31T17:00:00Z', deadlineIdentity),
	},
	nameChanged: { letter: 'n', ...changeEvent('name', 'Another Name', nameIdentity) },
	notFound: { letter: 'f', ...notFoundEvent },
	overdue: { letter: 'o', ...stateEvent('deadline', passedDeadline, isOtherDeadline) },
	priorityChanged: { letter: 'r', ...changeEvent('priority', 'H') },
	stageChanged: { letter: 's', ...changeEvent('stage', 'Another Stage') },
	stepAssignmentsChanged: {
		letter: 'u',
		...changeEvent('step_assignments', [{ step_id: 1, user_id: 1 }], members),
	},
	tagsChanged: { letter: 't', ...changeEvent('tags', ['another-tag'], members) },
} satisfies Record<string, WatchedEvent>;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName =>
	Object.hasOwn(EVENTS, name),
);
