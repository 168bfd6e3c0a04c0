import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { isObject } from '../values/json';

/** What an event observes of an instance: JSON, as short as possible; undefined when it is not said. */
export type Observed = IDataObject[string];

/** What one poll saw of an instance. */
export interface Observation {
	/** As the service returned it; undefined when it did not find the instance. */
	instance: IDataObject | undefined;
	/** When it was like that, in milliseconds since 1970, by the clock of the service if it tells. */
	at: number;
}

/** An event that can be watched for. */
export interface WatchedEvent {
	label: string;
	description: string;
	/** Under which n8n keeps what is remembered: never another one, since saved triggers have it. */
	letter: string;
	/** The field that is told under `changes`; without one nothing is. */
	field?: string;
	/** Whether an instance can be like this already when it is first seen. */
	isState?: boolean;
	/** Whether a value that is no event is remembered at once, as if it were seen for the first time. */
	isRenewed?(before: Observed, observation: Observation): boolean;
	/** Whether the same state may come again, so that those before it have to be remembered. */
	recurs?: boolean;
	/** What it counts as when the first response leaves the field out; without it nothing is said. */
	leftOut?: Observed;
	/** What to remember. */
	observe(observation: Observation): Observed;
	/** What is compared: values of the same meaning give the same text. */
	identity(remembered: Observed): string;
	/** Whether it is the event when what was remembered has become another value. */
	happens(before: Observed, now: Observed): boolean;
	/** What was remembered, as users read it. */
	show(remembered: Observed): Observed;
	/** What the field may have been before, for samples. */
	example?: Observed;
}

/** What is remembered of a moment that has not come. */
const NOT_YET = 0;
const FOUND = 1;
const ABSENT = 0;

/** A time of the service in seconds since 1970, which is short; undefined when the value is not a time. */
export function seconds(value: unknown): number | undefined {
	const time = DateTime.fromISO(String(value), { zone: 'utc' });
	return time.isValid ? time.toMillis() / 1000 : undefined;
}

function moment(value: Observed): Observed {
	if (value === null || value === '') return NOT_YET;
	return seconds(value) ?? String(value);
}

function showMoment(remembered: Observed): Observed {
	if (remembered === NOT_YET) return null;
	if (typeof remembered !== 'number') return remembered;
	return DateTime.fromSeconds(remembered, { zone: 'utc' }).toISO({ suppressMilliseconds: true });
}

/** Whether an instance is said to be completed or aborted. */
export function isFinished({ completed_time, aborted_time }: IDataObject): boolean {
	return Boolean(completed_time) || Boolean(aborted_time);
}

/** What the response says of a field: undefined when it does not name it, which is no change. */
export function said({ instance = {} }: Observation, field: string): Observed {
	return Object.hasOwn(instance, field) ? instance[field] : undefined;
}

const asIs = (remembered: Observed) => remembered;
/** The order of an object's keys says nothing. */
const inOrder = (_key: string, value: unknown) =>
	isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
const json = (remembered: Observed) => JSON.stringify(remembered, inOrder);

/** An event that comes each time that a moment is there which was not. */
const MOMENT = {
	isState: true,
	leftOut: NOT_YET,
	identity: json,
	happens: (_before: Observed, now: Observed) => now !== NOT_YET,
	show: showMoment,
};

function momentOf(field: string) {
	return {
		...MOMENT,
		field,
		observe(observation: Observation) {
			const value = said(observation, field);
			return value === undefined ? undefined : moment(value);
		},
	};
}

function changeOf(field: string, example: Observed, identity: WatchedEvent['identity'] = json) {
	return {
		field,
		example,
		identity,
		observe: (observation: Observation) => said(observation, field),
		happens: () => true,
		show: asIs,
	};
}

/** Lists whose order says nothing. */
function members(list: Observed): string {
	return Array.isArray(list) ? json(list.map((entry) => json(entry)).sort()) : json(list);
}

/** Whether a response says another deadline than the one that had passed. */
function isOtherDeadline(passed: Observed, observation: Observation): boolean {
	const deadline = said(observation, 'deadline');
	return deadline !== undefined && moment(deadline) !== passed;
}

/** The moment that is overdue: the deadline, once it has passed. */
function passedDeadline(observation: Observation): Observed {
	const { instance = {}, at } = observation;
	const deadline = said(observation, 'deadline');
	if (deadline === undefined) return undefined;
	const due = seconds(deadline) ?? Infinity;
	return at > due * 1000 && !isFinished(instance) ? due : NOT_YET;
}

/** All events by their names, in the order in which those of one instance come out. */
export const EVENTS = {
	aborted: {
		label: 'Aborted',
		description: 'The instance was aborted',
		letter: 'a',
		...momentOf('aborted_time'),
	},
	activeStepsChanged: {
		label: 'Active Steps Changed',
		description: 'A step became active or stopped being active',
		letter: 'p',
		...changeOf('active_step_ids', [1], members),
	},
	completed: {
		label: 'Completed',
		description: 'The instance was completed',
		letter: 'c',
		...momentOf('completed_time'),
	},
	deadlineChanged: {
		label: 'Deadline Changed',
		description: 'The deadline was set, moved or removed',
		letter: 'd',
		leftOut: null,
		...changeOf('deadline', '2026-01-31T17:00:00Z', (deadline) =>
			json(seconds(deadline) ?? deadline),
		),
	},
	nameChanged: {
		label: 'Name Changed',
		description: 'The name changed',
		letter: 'n',
		...changeOf('name', 'Another Name', (name) => json(name ?? '')),
	},
	notFound: {
		label: 'Not Found',
		description: "The service can't find the instance anymore",
		letter: 'f',
		isRenewed: () => true,
		observe: ({ instance }) => (instance === undefined ? ABSENT : FOUND),
		identity: json,
		happens: (_before, now) => now === ABSENT,
		show: asIs,
	},
	overdue: {
		label: 'Overdue',
		description:
			"The deadline has passed and the instance isn't finished. Triggers once per deadline.",
		letter: 'o',
		...MOMENT,
		recurs: true,
		isRenewed: isOtherDeadline,
		observe: passedDeadline,
	},
	priorityChanged: {
		label: 'Priority Changed',
		description: 'The priority changed',
		letter: 'r',
		...changeOf('priority', 'H'),
	},
	stageChanged: {
		label: 'Stage Changed',
		description: 'The instance moved to another stage',
		letter: 's',
		...changeOf('stage', 'Another Stage'),
	},
	stepAssignmentsChanged: {
		label: 'Step Assignments Changed',
		description: 'Users were assigned to steps or removed from them',
		letter: 'u',
		...changeOf('step_assignments', [{ step_id: 1, user_id: 1 }], members),
	},
	tagsChanged: {
		label: 'Tags Changed',
		description: 'Tags were added or removed',
		letter: 't',
		...changeOf('tags', ['another-tag'], members),
	},
} satisfies Record<string, WatchedEvent>;

export type EventName = keyof typeof EVENTS;

export function isEventName(value: unknown): value is EventName {
	return typeof value === 'string' && Object.hasOwn(EVENTS, value);
}
