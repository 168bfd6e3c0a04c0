import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { toOutput } from '../instance/output';
import type { PollOperation, PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import {
	detectEvents,
	type InstanceState,
	isNoLongerWatched,
	sampleOf,
	type TriggerEvent,
} from './detectEvents';
import type { Observation } from './events';
import { readInstances, type Reads } from './readInstances';
import { readSettings, type Settings } from './settings';
import { readState, type TriggerState, writeState } from './state';
import { inTurn, queueAfter } from './turns';
import { logUnread, rejectMistyped, whyNothing } from './unread';

function itemOf(
	id: number,
	{ event, eventId, changes }: TriggerEvent,
	{ instance }: Observation,
	{ output }: Settings,
): IDataObject {
	return { event, eventId, changes, instance: toOutput(instance ?? { id }, output) };
}

const MOST_SAMPLES = 10;

/** Samples for the editor. Nothing is stored. */
async function samples(
	run: PollRun,
	settings: Settings,
	state: TriggerState,
): Promise<IDataObject[]> {
	const { ids, areTyped, events } = settings;
	const [first] = ids;
	if (first === undefined) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' returns no IDs at the moment`,
			'To get a sample, have it return at least one ID.',
		);
	}
	const asked = areTyped ? ids : ids.slice(0, MOST_SAMPLES);
	const reads = await readInstances(asked, run, settings);
	rejectMistyped(reads, state, settings);
	if (reads.found.size === 0) throw await whyNothing(first, reads, run);
	await logUnread(reads, (id) => reads.found.has(id), run);
	const sampled = asked.flatMap((id) => {
		const observation = reads.found.get(id);
		if (observation === undefined) return [];
		const sample = sampleOf(id, observation, events);
		return { sample: true, ...itemOf(id, sample, observation, settings) };
	});
	return sampled.slice(0, MOST_SAMPLES);
}

/**
 * What was seen of each instance. That the service doesn't find one is seen when that is watched for, and
 * the instance was there before.
 */
function observationsOf(
	{ found, errors }: Reads,
	{ entries }: TriggerState,
	{ events }: Settings,
): Map<number, Observation> {
	const gone = events.includes('notFound')
		? [...errors].filter(([id, { isAbsent }]) => isAbsent && entries.has(id))
		: [];
	const at = systemClock.now();
	return new Map([...found, ...gone.map(([id]) => [id, { instance: undefined, at }] as const)]);
}

/** What a poll comes to. */
interface Outcome {
	entries: Map<number, InstanceState>;
	items: IDataObject[];
	isFirstSight: boolean;
}

/** Compares what was seen with what is stored. Of an ID that was not read, all stays as it was. */
function compare(
	observations: Map<number, Observation>,
	{ entries }: TriggerState,
	settings: Settings,
): Outcome {
	const outcome: Outcome = { entries: new Map(), items: [], isFirstSight: false };
	for (const id of settings.ids) {
		const known = entries.get(id);
		const observation = observations.get(id);
		if (observation === undefined) {
			if (known !== undefined) outcome.entries.set(id, known);
			continue;
		}
		const { entry, triggerEvents, isFirstSight } = detectEvents(id, known, observation, settings);
		outcome.entries.set(id, entry);
		outcome.items.push(...triggerEvents.map((each) => itemOf(id, each, observation, settings)));
		outcome.isFirstSight ||= isFirstSight;
	}
	return outcome;
}

/**
 * Reads each watched instance once, and returns what has happened since the poll before.
 *
 * What is stored is written last, together with what is returned. n8n saves it with an emission, and at
 * the end of an activation; so the very first poll returns null, and a later one that sees something for
 * the first time returns an emission without items (docs/dev/n8n-engine.md#what-a-poll-remembers).
 */
export const poll: PollOperation = async (run) => {
	const settings = readSettings(run.parameters);
	const { kept } = run;
	const { baseUrl } = await run.connection.open(settings.limits);
	const service = shortHash([baseUrl, run.credentialId]);
	const state = readState(kept, service);
	if (run.isManual) return await samples(run, settings, state);
	const isVeryFirst = kept.v === undefined;
	if (settings.ids.length === 0) {
		// What was seen stays, and whatever comes later is no longer the very first.
		writeState(kept, service, state);
		return null;
	}
	const isChecked = (id: number) =>
		settings.keepFinished || !isNoLongerWatched(state.entries.get(id));
	const order = inTurn(settings.ids.filter(isChecked), state.queue);
	const reads = await readInstances(order, run, settings);
	if (run.isAttended) rejectMistyped(reads, state, settings);
	const observations = observationsOf(reads, state, settings);
	const { entries, items, isFirstSight } = compare(observations, state, settings);
	// Written even if nothing was read: the next poll begins with other instances.
	writeState(kept, service, { entries, queue: queueAfter(order, reads, systemClock.chance()) });
	const [first] = order;
	if (first === undefined) return null;
	if (observations.size === 0) throw await whyNothing(first, reads, run);
	await logUnread(reads, (id) => observations.has(id), run);
	if (items.length > 0) return items;
	return isFirstSight && !isVeryFirst ? [] : null;
};
