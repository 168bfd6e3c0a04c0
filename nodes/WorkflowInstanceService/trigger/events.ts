import type { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { FIRST_MS, fromIsoOrSql, fromNumber } from '../values/deadline';
import { plainId } from '../values/ids';
import { canonical } from '../values/json';
import { isEmpty } from '../values/text';

export type Value = IDataObject[string];

/** An instance as one poll read it. */
export interface Observation {
	id: number;
	/** As the service returned it; undefined when the service didn't find it. */
	instance: IDataObject | undefined;
	/** When, in milliseconds since 1970, by the service's clock if the response has a date. */
	readAt: number;
}

/** How polls notice an event: by a value that differs from the one before. */
interface WatchedValue {
	/** The key under which it is stored. */
	letter: string;
	/** The field that it is about. Not Found has none. */
	field?: string;
	/** Null for a nullable field: a response without its key means null. For other fields, it says nothing. */
	whenMissing?: null;
	/** Equal for values that mean the same, as empty ones do. Default: the value itself. */
	compareAs?(value: Value): unknown;
	/** For a change: the previous value of the field in a sample. */
	example?: Value;
	/** The last value if none is stored. Default: the first value that is read, so that it isn't an event. */
	initialLast?: Value;
	/** For a state: since when an instance has been in it, in seconds, or GONE or NOT_YET; undefined if unknown. */
	stateSince?(observation: Observation, last: Value): Value;
}

export const NOT_YET = 0;
/** As if since 1970, because only whether it's gone counts. */
const GONE = 1;
/** The last zone to reach a time without an offset, so that it has then passed in every time zone. */
const LAST_ZONE = 'UTC-12';
const ISO_TIME = /^\d{4}(?:-\d\d-\d\d|\d{4})(?!\d)(.*)$/;
const FINISHED_TIMES = ['completed_time', 'aborted_time'];

/** A time, or the end of the day for a date; invalid for anything else. */
function timeOf(value: Value): DateTime {
	const [text, timeOfDay] = (typeof value === 'string' && ISO_TIME.exec(value.trim())) || [];
	const parsed = text ? fromIsoOrSql(text, { zone: LAST_ZONE }) : fromNumber(value, LAST_ZONE);
	return timeOfDay === '' ? parsed.endOf('day') : parsed;
}

/** Whether no time is set. Some services then send a date like 0001-01-01. */
function isNoTime(value: Value): boolean {
	return isEmpty(value) || timeOf(value).toMillis() < FIRST_MS;
}

/** A time in whole seconds since 1970, or undefined if no time is set or the value isn't a time. */
function secondsOf(value: Value): number | undefined {
	const time = timeOf(value);
	// Some services add a fraction of a second to a time later, or drop it.
	return time.toMillis() >= FIRST_MS ? time.toUnixInteger() : undefined;
}

/** Entries of a list, sorted. IDs may also come as text. */
function inAnyOrder(value: Value): unknown {
	return Array.isArray(value) ? value.map((each) => canonical(each, plainId)).sort() : value;
}

/** The time in a field. If it's removed, the last one still counts, since the same one may come again. */
function timeIn(field: string): WatchedValue['stateSince'] {
	return ({ instance }, last = NOT_YET) => instance && (secondsOf(instance[field]) ?? last);
}

/** The deadline, once it has certainly passed. Until another one has, it still counts, since it may be set again. */
function passedDeadline({ instance, readAt }: Observation, last: Value = NOT_YET): Value {
	if (instance === undefined) return undefined;
	const deadline = secondsOf(instance.deadline) ?? Infinity;
	const isOpen = FINISHED_TIMES.every((field) => isNoTime(instance[field]));
	const isOverdue = Math.floor(readAt / 1000) > deadline && isOpen;
	return isOverdue ? deadline : last;
}

/** All events, in the order in which the editor lists them. Published workflows rely on names and letters. */
const ROWS: Record<string, { text: [label: string, description: string]; value: WatchedValue }> = {
	completed: {
		text: ['Completed', 'The instance was completed'],
		value: { letter: 'c', field: 'completed_time', stateSince: timeIn('completed_time') },
	},
	overdue: {
		text: [
			'Overdue',
			"The instance is past its deadline and isn't finished. Triggers once per deadline.",
		],
		value: { letter: 'o', field: 'deadline', stateSince: passedDeadline },
	},
	aborted: {
		text: ['Aborted', 'The instance was aborted'],
		value: { letter: 'a', field: 'aborted_time', stateSince: timeIn('aborted_time') },
	},
	activeStepsChanged: {
		text: ['Active Steps Changed', 'A step became active or stopped being active'],
		value: { letter: 'p', field: 'active_step_ids', compareAs: inAnyOrder, example: [1] },
	},
	deadlineChanged: {
		text: ['Deadline Changed', 'The deadline was set, moved or removed'],
		value: {
			letter: 'd',
			field: 'deadline',
			whenMissing: null,
			compareAs: (value) => secondsOf(value) ?? value,
			example: '2026-01-31T17:00:00Z',
		},
	},
	nameChanged: {
		text: ['Name Changed', 'The name changed'],
		value: { letter: 'n', field: 'name', whenMissing: null, example: 'Another Name' },
	},
	notFound: {
		text: ['Not Found', "The service can't find the instance anymore"],
		value: {
			letter: 'f',
			initialLast: NOT_YET,
			stateSince: ({ instance }) => (instance ? NOT_YET : GONE),
		},
	},
	priorityChanged: {
		text: ['Priority Changed', 'The priority changed'],
		value: { letter: 'r', field: 'priority', whenMissing: null, example: 'H' },
	},
	stageChanged: {
		text: ['Stage Changed', 'The instance moved to another stage'],
		value: { letter: 's', field: 'stage', example: 'Another Stage' },
	},
	stepAssignmentsChanged: {
		text: ['Step Assignments Changed', 'Users were assigned to steps or removed'],
		value: {
			letter: 'u',
			field: 'step_assignments',
			compareAs: inAnyOrder,
			example: [{ step_id: 1, user_id: 1 }],
		},
	},
	tagsChanged: {
		text: ['Tags Changed', 'Tags were added or removed'],
		value: { letter: 't', field: 'tags', compareAs: inAnyOrder, example: ['another-tag'] },
	},
};

export type InstanceEvent = (typeof EVENTS)[number];

export const EVENTS = Object.entries(ROWS).map(([name, { text, value }]) => {
	const [label, description] = text;
	return { name, label, description, ...value };
});

/** Whether an instance was completed or aborted. */
export function isFinished(instance: IDataObject | undefined): boolean {
	return FINISHED_TIMES.some((field) => secondsOf(instance?.[field]) !== undefined);
}

/** The same text for values of the same meaning. */
export function meaningOf({ compareAs = (each) => each }: InstanceEvent, value: Value): string {
	return canonical(isEmpty(value) ? null : compareAs(value));
}

/** The value of an event; undefined when the response doesn't say. */
export function valueOf(event: InstanceEvent, observation: Observation, last: Value): Value {
	const { field = '', whenMissing, stateSince } = event;
	if (stateSince) return stateSince(observation, last);
	if (observation.instance === undefined) return undefined;
	const { [field]: value = whenMissing } = observation.instance;
	return value;
}

/** What an item shows about an event: its field, before and now. Before a state, it's null. */
export function changesOf(event: InstanceEvent, last: Value, to: Value = null): IDataObject {
	const { field, stateSince } = event;
	return field === undefined ? {} : { [field]: { from: stateSince ? null : last, to } };
}
