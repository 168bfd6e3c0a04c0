import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import type { PollOperation, PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import type { Observation } from './events';
import {
	type InstanceState,
	type TriggerEvent,
	isNoLongerWatched,
	detectEvents,
} from './detectEvents';
import { readInstances, type Reads } from './readInstances';
import { sampleOf } from './sample';
import { type TriggerState, readState, writeState } from './state';
import { readSettings, type Settings } from './settings';
import { inTurn, turnsAfter } from './turns';

/**
 * What was seen of each instance. That the service does not find one is something to see when that is
 * watched for, and the instance was there before.
 */
function observationsOf(
	{ found, errors }: Reads,
	{ entries }: Pick<TriggerState, 'entries'>,
	{ events }: Settings,
	now: number,
): Map<number, Observation> {
	const observations = new Map<number, Observation>();
	for (const [id, { instance, serviceTime }] of found) {
		observations.set(id, { instance, at: serviceTime ?? now });
	}
	for (const [id, { isAbsent }] of errors) {
		const isSeen = isAbsent && entries.has(id) && events.includes('notFound');
		if (isSeen) observations.set(id, { instance: undefined, at: now });
	}
	return observations;
}

/** Why there is no response for an instance of which none was usable when the time was up. */
async function whyOpen(id: number | undefined, run: PollRun): Promise<UserFacingError> {
	return await run.connection.lastError(`instance ${id}`);
}

async function whyNothing(
	{ errors, open }: Reads,
	[first]: number[],
	run: PollRun,
): Promise<UserFacingError> {
	const [error] = errors.values();
	return error ?? (await whyOpen(open[0] ?? first, run));
}

const MOST_LISTED = 20;

function listed(ids: number[]): string {
	return `${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ' …' : ''}`;
}

/** The others go on, so what was not read is told in the log only, once a poll. */
async function logNotRead(ids: number[], reads: Reads, run: PollRun): Promise<void> {
	const [first] = ids;
	if (first === undefined) return;
	const { message } = reads.errors.get(first) ?? (await whyOpen(first, run));
	run.connection.log(
		'warn',
		`Watched instances not read (${ids.length}): ${listed(ids)}. ${message}`,
	);
}

function itemOf(
	id: number,
	triggerEvent: TriggerEvent,
	{ instance }: Observation,
	{ output }: Settings,
): IDataObject {
	const { event, eventId, changes } = triggerEvent;
	return { event, eventId, changes, instance: toOutput(instance ?? { id }, output) };
}

/**
 * Where somebody can correct it: what was typed in is there, or was there before.
 *
 * @throws UserFacingError with the IDs that are not found
 */
function rejectMistyped(
	{ errors }: Reads,
	{ entries }: TriggerState,
	{ areTyped }: Settings,
): void {
	const unknown = [...errors].filter(([id, { isAbsent }]) => isAbsent && !entries.has(id));
	const [[, error] = []] = unknown;
	if (!areTyped || error === undefined) return;
	const { httpCode, words } = error;
	const ids = listed(unknown.map(([id]) => id));
	throw new UserFacingError(
		`'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})${words ? `: ${words}` : ''}`,
		'Correct the IDs, or remove those that no longer exist.',
		{ httpCode },
	);
}

const MOST_SAMPLES = 10;

async function samples(
	run: PollRun,
	settings: Settings,
	state: TriggerState,
): Promise<IDataObject[]> {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' returns no IDs at the moment`,
			'To get a sample, have it return at least one ID.',
		);
	}
	const asked = areTyped ? ids : ids.slice(0, MOST_SAMPLES);
	const reads = await readInstances(asked, run, settings);
	rejectMistyped(reads, state, settings);
	if (reads.found.size === 0) throw await whyNothing(reads, asked, run);
	await logNotRead([...reads.errors.keys(), ...reads.open], reads, run);
	const observations = observationsOf(reads, { entries: new Map() }, settings, run.clock.now());
	const sampled = [...observations].sort(([one], [other]) => ids.indexOf(one) - ids.indexOf(other));
	return sampled.slice(0, MOST_SAMPLES).map(([id, observation]) => ({
		sample: true,
		...itemOf(id, sampleOf(id, observation, events), observation, settings),
	}));
}

/** What a poll comes to. */
interface Outcome {
	entries: Map<number, InstanceState>;
	items: IDataObject[];
	isFirstSight: boolean;
}

/** Compares what was seen with what is remembered. Of an ID that was not read, all stays as it was. */
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
 * Asks for each watched instance once, and tells what has happened since the poll before.
 *
 * What is remembered is written last, in one step with what is given to n8n. n8n saves it with an
 * emission, and at the end of an activation; so the very first poll gives null, and a later one that
 * sees something for the first time gives an emission without items
 * (docs/n8n-engine.md#what-a-poll-remembers).
 */
export const poll: PollOperation = async (run) => {
	const settings = readSettings(run.parameters);
	const { kept } = run;
	const { baseUrl } = await run.connection.open();
	const service = shortHash([baseUrl, run.credentialId]);
	const state = readState(kept, service);
	if (run.isManual) return await samples(run, settings, state);
	if (settings.ids.length === 0) {
		// What was seen stays, and whatever comes later is no longer the very first.
		writeState(kept, service, state);
		return null;
	}
	const isAsked = (id: number) =>
		settings.keepFinished || !isNoLongerWatched(state.entries.get(id));
	const asked = inTurn(settings.ids.filter(isAsked), state);
	const reads = await readInstances(asked, run, settings);
	if (run.isAttended) rejectMistyped(reads, state, settings);
	const observations = observationsOf(reads, state, settings, run.clock.now());
	const { entries, items, isFirstSight } = compare(observations, state, settings);
	// Written even if nothing was read: the next poll begins with other instances.
	writeState(kept, service, { entries, ...turnsAfter(asked, reads, state.late) });
	if (asked.length === 0) return null;
	if (observations.size === 0) throw await whyNothing(reads, asked, run);
	const unread = [...reads.errors.keys()].filter((id) => !observations.has(id));
	await logNotRead([...unread, ...reads.open], reads, run);
	if (items.length > 0) return items;
	return isFirstSight && !state.isEmpty ? [] : null;
};
