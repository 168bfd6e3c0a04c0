import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import { type Poll, pollWith } from '../n8n/poll';
import { asObject, canonical, parseJson, pick, shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { detectEvents, samplesOf } from './detectEvents';
import type { Observation } from './events';
import {
	assertNotMistyped,
	logOrThrowErrors,
	nextQueue,
	readInstances,
	type Reads,
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
async function readSamples(poll: Poll, settings: Settings, previous: Instances) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`'${instanceIds.displayName}' contains no IDs at the moment`,
			'To get a sample, make sure that it contains at least one ID.',
		);
	}
	// Any of those that were typed in may be mistyped.
	const reads = await readInstances(
		areTyped ? ids : ids.slice(0, MOST_SAMPLES),
		poll,
		(observation) => observation,
	);
	if (areTyped) assertNotMistyped(reads, previous);
	logOrThrowErrors(reads, poll);
	const observations = ids.flatMap((id) => reads.results.get(id) ?? []);
	return samplesOf(observations.slice(0, MOST_SAMPLES), events).map(([sample, observation]) =>
		itemOf(sample, observation, settings),
	);
}

/** A copy of what is stored, or is to be: neither n8n nor expressions in later nodes change both. */
function copyOf(stored: IDataObject): IDataObject {
	return asObject(parseJson(JSON.stringify(stored)));
}

/** What the poll before stored; nothing if it was about another service, or is in another format. */
function readStored(staticData: IDataObject, owner: string) {
	const { ids, queue } = staticData.for === owner ? staticData : {};
	// Items pass on parts of it, and n8n's own objects can't be copied by all nodes.
	const entries = Object.entries(copyOf(asObject(ids)));
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

/** What comes of an instance that was read: the items of its events, and what to store of it. */
type Comparison = ReturnType<typeof compare>;

function compare(observation: Observation, last: IDataObject | undefined, settings: Settings) {
	const previous = last && withoutRemoved(last, settings.events);
	const { stored, detected } = detectEvents(previous, observation, settings);
	const items = detected.map((event) => itemOf(event, observation, settings));
	return { items, stored: copyOf(stored) };
}

/** What is stored of instances after a poll: of those that could not be read, what was stored before. */
function storedAfter(reads: Reads<Comparison>, previous: Instances, { ids, events }: Settings) {
	// While an expression returns no IDs, all stay.
	if (ids.length === 0) return { instances: previous, isChanged: false };
	const instances: Instances = new Map();
	for (const id of ids) {
		const last = previous.get(id);
		const stored = reads.results.get(id)?.stored ?? (last && withoutRemoved(last, events));
		if (stored) instances.set(id, stored);
	}
	const isChanged = [...instances].some(
		([id, stored]) => canonical(stored) !== canonical(previous.get(id)),
	);
	return { instances, isChanged: isChanged || instances.size < previous.size };
}

/** Stores what the next poll needs. n8n notices which keys are set. Returns whether it has to save them. */
function store(
	{ reason, staticData }: Poll,
	next: { for: string; ids: IDataObject },
	queue: number[],
	isChanged: boolean,
): boolean {
	const isFirst = staticData.for === undefined;
	if (isFirst || isChanged) Object.assign(staticData, next);
	const isMoved = canonical(staticData.queue) !== canonical(queue);
	if (isMoved) Object.assign(staticData, { queue });
	// After an activation, n8n saves it in any case.
	if (isFirst) return reason !== 'publication' && reason !== 'start';
	return isChanged || (isMoved && reason === 'durableSchedule');
}

/** Returns what has happened since the poll before: items, none to have n8n save what is stored, or null. */
export const pollInstances = pollWith(async (poll) => {
	const { reason, staticData } = poll;
	const { baseUrl } = await poll.connection.connect();
	const settings = readSettings(poll.parameters, baseUrl);
	const { ids, areTyped, events, keepFinished } = settings;
	const owner = shortHash([VERSION, baseUrl, poll.credentialId]);
	const { previous, queue } = readStored(staticData, owner);
	if (reason === 'test') return await readSamples(poll, settings, previous);

	const isWatched = (id: number) => keepFinished || !previous.get(id)?.finished;
	const reportsNotFound = (id: number) =>
		previous.has(id) && events.some(({ name }) => name === 'notFound');
	const reads = await readInstances(
		ids.filter(isWatched),
		poll,
		(observation) => compare(observation, previous.get(observation.id), settings),
		queue,
		reportsNotFound,
	);
	if (areTyped && reason === 'publication') assertNotMistyped(reads, previous);
	const { instances, isChanged } = storedAfter(reads, previous, settings);
	const next = { for: owner, ids: Object.fromEntries(instances) };
	// Before errors are thrown: a new queue counts even if nothing was read.
	const needsSave = store(poll, next, nextQueue(reads), isChanged);
	logOrThrowErrors(reads, poll);
	const items = ids.flatMap((id) => reads.results.get(id)?.items ?? []);
	return items.length > 0 || needsSave ? items : null;
});
