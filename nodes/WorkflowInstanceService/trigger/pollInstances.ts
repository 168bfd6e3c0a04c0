import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import { type Poll, pollWith } from '../n8n/poll';
import { asObject, parseJson, pick, shortHash } from '../values/json';
import { asUserFacingError, UserFacingError } from '../values/userFacingError';
import { detectEvents, samplesOf } from './detectEvents';
import { canonical, type Observation } from './events';
import {
	nextQueue,
	readInstances,
	type Reads,
	assertNotMistyped,
	reportErrors,
} from './readInstances';
import { instanceIds, readSettings, type Settings } from './settings';

/** Raised when the format of what is stored changes; what an older version stored isn't read. */
const VERSION = 1;
const MOST_SAMPLES = 10;

/** What is stored of instances, by their IDs. */
type Instances = Map<number, IDataObject>;

function itemOf(event: IDataObject, { id, instance = { id } }: Observation, { output }: Settings) {
	return { ...event, instance: toOutput(id, instance, output) };
}

/** What a test in the editor returns. */
async function samples(poll: Poll, settings: Settings, previous: Instances) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`'${instanceIds.displayName}' contains no IDs at the moment`,
			'To get a sample, make sure that it contains at least one ID.',
		);
	}
	// Any of those that were typed in may be mistyped.
	const reads = await readInstances(areTyped ? ids : ids.slice(0, MOST_SAMPLES), poll);
	if (areTyped) assertNotMistyped(reads, previous);
	reportErrors(reads, poll);
	const observations = ids.flatMap((id) => reads.observations.get(id) ?? []);
	return samplesOf(observations.slice(0, MOST_SAMPLES), events).map(([sample, observation]) =>
		itemOf(sample, observation, settings),
	);
}

/** What the poll before stored; nothing if it was about another service, or is in another format. */
function readStored(staticData: IDataObject, owner: string) {
	const { ids, queue } = staticData.for === owner ? staticData : {};
	const entries = Object.entries(asObject(ids));
	return {
		previous: new Map(entries.map(([id, stored]) => [Number(id), asObject(stored)])),
		queue: Array.isArray(queue) ? queue.map(Number) : [],
	};
}

/** What is stored of an instance, without events that the user has removed: one that is added again starts over. */
function withoutRemoved({ last, ...rest }: IDataObject, events: Settings['events']): IDataObject {
	const letters = events.map(({ letter }) => letter);
	return last === undefined ? rest : { ...rest, last: pick(asObject(last), letters) };
}

/** Compares what was read with what is stored. An ID that was not read keeps that. */
function compareAll({ observations, errors }: Reads, previous: Instances, settings: Settings) {
	const { ids, events } = settings;
	const items: IDataObject[] = [];
	// While an expression returns no IDs, all stay.
	if (ids.length === 0) return { items, instances: previous };
	const listed = new Set(ids);
	const kept = [...previous].filter(([id]) => listed.has(id));
	const instances = new Map(kept.map(([id, stored]) => [id, withoutRemoved(stored, events)]));
	for (const observation of ids.flatMap((id) => observations.get(id) ?? [])) {
		const { id } = observation;
		try {
			const { stored, detected } = detectEvents(instances.get(id), observation, settings);
			// A copy, since expressions in later nodes may change what the items contain.
			const copy = asObject(parseJson(JSON.stringify(stored)));
			items.push(...detected.map((event) => itemOf(event, observation, settings)));
			// Only now: an event whose item can't be made is detected again.
			instances.set(id, copy);
		} catch (cause) {
			errors.set(id, asUserFacingError(cause));
		}
	}
	return { items, instances };
}

/** What is stored: the next poll begins with other instances, even if nothing was read, which says nothing of them. */
function nextStored(
	reads: Reads,
	owner: string,
	instances: Instances,
	hasState: boolean,
): IDataObject {
	const queue = nextQueue(reads);
	const isRead = reads.observations.size > 0 || reads.idsInOrder.length === 0;
	if (hasState && !isRead) return { queue };
	return { for: owner, ids: Object.fromEntries(instances), queue };
}

/** Returns what has happened since the poll before: items, none to have n8n save what is stored, or null. */
export const pollInstances = pollWith(async (poll) => {
	const { reason, staticData } = poll;
	const { baseUrl } = await poll.connection.connect();
	const settings = readSettings(poll.parameters, baseUrl);
	const { ids, areTyped, events, keepFinished } = settings;
	const owner = shortHash([VERSION, baseUrl, poll.credentialId]);
	const hasState = staticData.for !== undefined;
	const { previous, queue } = readStored(staticData, owner);
	if (reason === 'test') return await samples(poll, settings, previous);

	const isWatched = (id: number) => keepFinished || !previous.get(id)?.finished;
	const reportsNotFound = (id: number) =>
		previous.has(id) && events.some(({ name }) => name === 'notFound');
	const reads = await readInstances(ids.filter(isWatched), poll, queue, reportsNotFound);
	if (areTyped && reason === 'publication') assertNotMistyped(reads, previous);
	const { items, instances } = compareAll(reads, previous, settings);

	const state = nextStored(reads, owner, instances, hasState);
	// n8n notices which keys are set.
	const isChanged = (key: string) => canonical(staticData[key]) !== canonical(state[key]);
	const changedKeys = Object.keys(state).filter(isChanged);
	Object.assign(staticData, pick(state, changedKeys));
	reportErrors(reads, poll);
	const isNew = changedKeys.some((key) => key === 'ids' || reason === 'durableSchedule');
	// After an activation, n8n saves it in any case.
	const isActivation = reason === 'publication' || reason === 'start';
	const needsSave = isNew && (hasState || !isActivation);
	return items.length > 0 || needsSave ? items : null;
});
