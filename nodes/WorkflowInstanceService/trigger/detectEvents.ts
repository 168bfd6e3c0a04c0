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
 * Compares an observation with what is stored of the instance (docs/dev/architecture.md#what-a-poll-does), if
 * anything. If the result is lost, the next poll returns the same events, since nothing from a later response
 * is part of their IDs.
 */
export function detectEvents(
	previous: IDataObject | undefined,
	observation: Observation,
	{
		baseUrl,
		events,
		emitFirst,
		keepFinished,
	}: Pick<Settings, 'baseUrl' | 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { id, instance, readAt } = observation;
	const { at: firstSeen = Math.floor(readAt / 1000), count = 0 } = previous ?? {};
	// With emitFirst, a new instance starts with all states 'not yet', so that what it already is counts as a change.
	// Without it, as of an event that the user adds later, first values are only stored.
	const states = events.filter(({ stateSince }) => emitFirst && stateSince);
	const initial = Object.fromEntries(states.map(({ letter }) => [letter, NOT_YET]));
	const lastValues = asObject(previous ? previous.last : initial);
	const nextValues: IDataObject = {};
	const wasWatched = ({ letter }: InstanceEvent) => lastValues[letter] !== undefined;
	// An event that was just chosen is only recorded.
	const lastOf = (event: InstanceEvent, value: Value) =>
		wasWatched(event) ? lastValues[event.letter] : (event.before ?? value);
	const detected = events.flatMap((event) => {
		const { name, letter, field = '', stateSince } = event;
		const value = valueOf(event, observation, lastValues[letter]);
		const last = lastOf(event, value);
		const [from, to] = [meaningOf(event, last), meaningOf(event, value)];
		const isChanged = value !== undefined && from !== to;
		nextValues[letter] = isChanged ? value : last;
		if (!isChanged || (stateSince && value === NOT_YET)) return [];
		// If the result is lost, a new instance is new again, at another time.
		const identity = previous ? [from, to, firstSeen, count] : [to];
		// Other services may have the same IDs and values, such as a copy for tests.
		const eventId = `${id}-${name}-${shortHash([id, name, baseUrl, ...identity])}`;
		return [{ event: name, eventId, changes: changesOf(event, last, instance?.[field]) }];
	});
	// An event that was just chosen may have happened before, and must have another ID from now on.
	const isAdded = (event: InstanceEvent) =>
		previous && nextValues[event.letter] !== undefined && !wasWatched(event);
	const nextCount = Number(count) + detected.length + Number(events.some(isAdded));
	const stored: IDataObject = {
		at: firstSeen,
		...(nextCount > 0 && { count: nextCount }),
		...(isFinished(instance) && !keepFinished ? { finished: true } : { last: nextValues }),
	};
	return { stored, detected };
}

/** A sample event. With a real event's ID, a node that removes duplicates would later drop the real one. */
function sampleOf(event: InstanceEvent, { id, instance, readAt }: Observation): IDataObject {
	const { name, field = '', example = null, stateSince } = event;
	const now = instance?.[field] ?? null;
	const from = meaningOf(event, now) === meaningOf(event, example) ? null : example;
	const to = stateSince && isEmpty(now) ? new Date(readAt).toISOString() : now;
	const changes = changesOf(event, from, to);
	return { sample: true, event: name, eventId: `${id}-${name}-sample`, changes };
}

/** Samples of instances: of each event and of each instance at least one, and of every state that one is in. */
export function samplesOf(observations: Observation[], events: Settings['events']) {
	const period = Math.min(observations.length, events.length);
	return observations.flatMap((observation, row) =>
		events
			.filter(
				({ stateSince }, column) =>
					stateSince?.(observation, NOT_YET) || (column - row) % period === 0,
			)
			.map((event) => [sampleOf(event, observation), observation] as const),
	);
}
