import type { IDataObject } from 'n8n-workflow';

import type { ChosenEvents, TriggerEvent } from './detectEvents';
import { type EventName, EVENTS, said, type Observation, type WatchedEvent } from './events';

/** Whether an instance is already what an event tells. */
function isSo(event: EventName, observation: Observation): boolean {
	const { isState = false, observe, happens }: WatchedEvent = EVENTS[event];
	const now = observe(observation);
	return isState && now !== undefined && happens(undefined, now);
}

/** What could have changed for an instance to be as it is now. */
function exampleOf(watched: WatchedEvent, observation: Observation): IDataObject {
	const { field, isState, identity, show, example } = watched;
	if (field === undefined) return {};
	const value = said(observation, field) ?? null;
	if (isState) return { [field]: { from: null, to: value || show(observation.at / 1000) } };
	const from = identity(value) === identity(example) ? null : example;
	return { [field]: { from, to: value } };
}

/** A sample for the editor: an event that could be of the instance, with what there is now. */
export function sampleOf(id: number, observation: Observation, events: ChosenEvents): TriggerEvent {
	const event = events.find((each) => isSo(each, observation)) ?? events[0];
	// Not the ID that the event will have: a node that drops repeats would drop it then.
	const eventId = `${id}-${event}-sample`;
	return { event, eventId, changes: exampleOf(EVENTS[event], observation) };
}
