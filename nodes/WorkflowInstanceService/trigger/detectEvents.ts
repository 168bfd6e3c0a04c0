import type { IDataObject } from 'n8n-workflow';

import { asObject, shortHash } from '../values/json';
import { isEmpty } from '../values/text';
import {
	changesOf,
	type InstanceEvent,
	isFinished,
	meaningOf,
	NOT_YET,
	type Observation,
	type Value,
	valueOf,
} from './events';
import type { Settings } from './settings';

/**
 * Compares the value of an event with its last one, to find out what to store, and whether the event has happened. A
 * value without a last one is only stored, unless the event has an `initialLast`.
 */
function compareValue(event: InstanceEvent, observation: Observation, lastValue: Value) {
	const value = valueOf(event, observation, lastValue);
	const isFirst = lastValue === undefined;
	const last = isFirst ? (event.initialLast ?? value) : lastValue;
	const [from, to] = [meaningOf(event, last), meaningOf(event, value)];
	const isChanged = value !== undefined && from !== to;
	const toStore = isChanged ? value : last;
	const hasHappened = isChanged && !(event.stateSince && value === NOT_YET);
	const isBaseline = isFirst && toStore !== undefined;
	return { event, from, to, last, toStore, hasHappened, isBaseline };
}

/**
 * Compares an observation with the record of the instance (docs/dev/architecture.md#what-a-poll-does), if there
 * is one. If the result is lost, the next poll returns the same events: besides the new value, their IDs depend only on
 * the record.
 */
export function detectEvents(
	record: IDataObject | undefined,
	observation: Observation,
	settings: Pick<Settings, 'baseUrl' | 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { baseUrl, events, emitFirst, keepFinished } = settings;
	const { id, instance, readAt } = observation;
	const { at: firstSeen = Math.floor(readAt / 1000), count = 0 } = record ?? {};
	// With emitFirst, a new instance counts as in no state yet, so that its current state is a change.
	const lastOfNew = ({ stateSince }: InstanceEvent) =>
		emitFirst && stateSince ? NOT_YET : undefined;
	const compared = events.map((event) => {
		const lastValue = record ? asObject(record.last)[event.letter] : lastOfNew(event);
		return compareValue(event, observation, lastValue);
	});
	// A newly chosen event may have happened before, e.g. before it was removed, so the next one needs another ID.
	const countAfter = (isNewlyChosen: boolean) => Number(count) + Number(isNewlyChosen);
	const happened = compared.filter(({ hasHappened }) => hasHappened);
	const detected = happened.map(({ event, from, to, last, isBaseline }) => {
		const { name, field = '' } = event;
		// If the result is lost, a new instance will be new again, and first seen at another time.
		const identity = record ? [from, to, firstSeen, countAfter(isBaseline)] : [to];
		// Other services, such as a copy for tests, may have the same IDs and values.
		const eventId = `${id}-${name}-${shortHash([id, name, baseUrl, ...identity])}`;
		return { event: name, eventId, changes: changesOf(event, last, instance?.[field]) };
	});
	const hasBaseline = record !== undefined && compared.some(({ isBaseline }) => isBaseline);
	const nextCount = countAfter(hasBaseline) + detected.length;
	const nextValues = compared.map(({ event, toStore }) => [event.letter, toStore] as const);
	const next: IDataObject = {
		at: firstSeen,
		...(nextCount > 0 && { count: nextCount }),
		...(isFinished(instance) && !keepFinished
			? { finished: true }
			: { last: Object.fromEntries(nextValues) }),
	};
	return { next, detected };
}

/** A sample event. If it had a real event's ID, a node that removes duplicates would later drop the real one. */
function sampleOf(event: InstanceEvent, { id, instance, readAt }: Observation): IDataObject {
	const { name, field = '', example = null, stateSince } = event;
	const now = instance?.[field] ?? null;
	const from = meaningOf(event, now) === meaningOf(event, example) ? null : example;
	const to = stateSince && isEmpty(now) ? new Date(readAt).toISOString() : now;
	const changes = changesOf(event, from, to);
	return { sample: true, event: name, eventId: `${id}-${name}-sample`, changes };
}

/** Samples of events, at least one for each event and one for each instance. */
export function samplesOf(observations: Observation[], events: Settings['events']) {
	// Along diagonals, so that no row or column stays empty.
	const period = Math.min(observations.length, events.length);
	return observations.flatMap((observation, row) =>
		events
			.filter((_, column) => (column - row) % period === 0)
			.map((event) => [sampleOf(event, observation), observation] as const),
	);
}
