import type { IDataObject } from 'n8n-workflow';

import {
	detectEvents,
	type InstanceState,
} from '../../../nodes/WorkflowInstanceService/trigger/detectEvents';
import {
	EVENTS,
	type EventName,
	isEventName,
} from '../../../nodes/WorkflowInstanceService/trigger/events';

/** An instance, and the same after all has changed. */
const BEFORE: IDataObject = {
	active_step_ids: [1, 2],
	aborted_time: null,
	completed_time: null,
	deadline: '2027-01-01T00:00:00Z',
	last_updated_time: '2026-01-01T08:00:00Z',
	name: 'Leave',
	priority: null,
	stage: 'Draft',
	step_assignments: [],
	tags: ['b', 'a'],
};
const AFTER: IDataObject = {
	active_step_ids: [3],
	aborted_time: '2026-02-01T08:00:00Z',
	completed_time: '2026-02-01T08:00:00.5Z',
	deadline: '2027-02-01T00:00:00Z',
	last_updated_time: '2026-02-01T08:00:00Z',
	name: 'Leave of Ann',
	priority: 'H',
	stage: 'Approval',
	step_assignments: [{ step_id: 3, user_id: 12 }],
	tags: ['a'],
};
const LATE = Date.UTC(2027, 5);

/** The IDs of an event that comes, is taken back, and comes once more: what stands behind its name. */
function idsOf(event: EventName): string[] {
	const settings = { events: [event], emitFirst: false, keepFinished: true } as const;
	const later = event === 'overdue' ? BEFORE : AFTER;
	const before = { instance: BEFORE, at: 0 };
	const after = { instance: event === 'notFound' ? undefined : later, at: LATE };
	let entry: InstanceState | undefined;
	return [before, after, before, after].flatMap((observation) => {
		const detection = detectEvents(7, entry, observation, settings);
		entry = detection.entry;
		return detection.triggerEvents.map(({ eventId }) => eventId.replace(`7-${event}-`, ''));
	});
}

// A workflow that drops repeats by these IDs would get all events once more if their form changed.
test('an event has the ID that workflows have stored', () => {
	const events = Object.keys(EVENTS).filter(isEventName);
	expect(Object.fromEntries(events.map((event) => [event, idsOf(event)]))).toEqual({
		aborted: ['47db18376d02db05'],
		activeStepsChanged: ['efd6d8cdfc3d793b', '4e156da1b298a90a', '2b148f78867a49e2'],
		completed: ['4f9cf53a2d9af16b'],
		deadlineChanged: ['c7ed4b6d42ca717d', '08f2ea7a18ca9c78', '89d7a92b1165d09f'],
		nameChanged: ['dd8f826ec53ae3e1', 'af57fb95758f8557', 'e312920932eac201'],
		notFound: ['8d6a6b02697f7c80', '7271d3c4c9a84971'],
		overdue: ['f6cd4c13b0a06c9f'],
		priorityChanged: ['aafa3e76247cce1d', 'f382ec620566d75b', '80f046ff2c23891a'],
		stageChanged: ['805ac9738d76854b', 'ff54d8f892e14654', 'a1682c4a66805278'],
		stepAssignmentsChanged: ['6e477c6cffc05a24', '32f9f011ac70c468', '23a56c0d140cf944'],
		tagsChanged: ['e4a07785e4e672da', '5a7237d6e4ea27d5', '383e4caf1a9e43be'],
	});
});
