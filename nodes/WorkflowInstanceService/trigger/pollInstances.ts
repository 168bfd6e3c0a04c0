import type { IDataObject } from 'n8n-workflow';

import { forEachYielding } from '../api/clock';
import { toOutput } from '../instance/output';
import { type Poll, pollWith } from '../n8n/poll';
import { asObject, canonical, parseJson, pick, shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { detectEvents, samplesOf } from './detectEvents';
import type { Observation } from './events';
import { assertNotMistyped, logOrThrowErrors, nextQueue, readInstances } from './readInstances';
import { instanceIds, readSettings, type Settings } from './settings';

/** Raised when the format of what is stored changes; what an older version stored isn't read. */
const VERSION = 1;
const MOST_SAMPLES = 10;

type Records = Map<number, IDataObject>;

function itemOf(event: IDataObject, { id, instance = { id } }: Observation, { output }: Settings) {
	return copyOf({ ...event, instance: toOutput(id, instance, output) });
}

/** What a test in the editor returns. */
async function readSamples(poll: Poll, settings: Settings, records: Records) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`'${instanceIds.displayName}' contains no IDs at the moment`,
			'To get a sample, make sure that it contains at least one ID.',
		);
	}
	const placeOf = ({ id }: Observation) => ids.indexOf(id);
	let observations: Observation[] = [];
	const onRead = (observation: Observation) => {
		const all = [...observations, observation];
		all.sort((one, other) => placeOf(one) - placeOf(other));
		observations = all.slice(0, MOST_SAMPLES);
	};
	// All of them if they were typed in, since any may be mistyped.
	const reads = await readInstances(areTyped ? ids : ids.slice(0, MOST_SAMPLES), poll, onRead);
	if (areTyped) assertNotMistyped(reads, records);
	logOrThrowErrors(reads, poll);
	return samplesOf(observations, events).map(([sample, observation]) =>
		itemOf(sample, observation, settings),
	);
}

/** What the previous poll stored. If it's for another service, or in another format, only the queue counts. */
function readStored(staticData: IDataObject, owner: string) {
	const { queue } = staticData;
	const { ids } = staticData.for === owner ? staticData : {};
	const entries = Object.entries(asObject(ids));
	return {
		records: new Map(entries.map(([id, record]) => [Number(id), asObject(record)])),
		queue: Array.isArray(queue) ? queue.map(Number) : [],
	};
}

/** A copy, so that what n8n or later nodes do to one doesn't change the other. It's free of n8n's proxies. */
function copyOf(value: IDataObject): IDataObject {
	return asObject(parseJson(JSON.stringify(value)));
}

/** The records of IDs that are still listed. An event that the user has removed starts over if it's added again. */
function recordsToKeep(records: Records, { ids, events }: Settings): Records {
	// While an expression returns no IDs, all records stay.
	if (ids.length === 0) return records;
	const letters = events.map(({ letter }) => letter);
	const kept: Records = new Map();
	for (const id of ids) {
		const record = records.get(id);
		if (record === undefined) continue;
		const last = pick(asObject(record.last), letters);
		kept.set(id, record.finished ? record : { ...record, last });
	}
	return kept;
}

/** Whether the records differ from those before. */
async function areDifferent(records: Records, nextRecords: Records): Promise<boolean> {
	let isChanged = records.size !== nextRecords.size;
	await forEachYielding(nextRecords, ([id, next]) => {
		isChanged ||= canonical(next) !== canonical(records.get(id));
	});
	return isChanged;
}

/** Stores what the next poll needs. n8n notices which keys are set. Returns whether to have n8n save them. */
function store(
	{ reason, staticData }: Poll,
	next: { for: string; ids: IDataObject },
	queue: number[],
	isChanged: boolean,
): boolean {
	const isNewTrigger = staticData.for === undefined;
	if (isNewTrigger || isChanged) Object.assign(staticData, copyOf(next));
	const isMoved = canonical(staticData.queue) !== canonical(queue);
	if (isMoved) Object.assign(staticData, { queue });
	// After an activation, n8n saves it in any case.
	if (isNewTrigger) return reason !== 'publication' && reason !== 'start';
	return isChanged || (isMoved && reason === 'durableSchedule');
}

/** Returns what has happened since the previous poll: items, or [] to have n8n save what is stored, or null. */
export const pollInstances = pollWith(async (poll) => {
	const { reason, staticData } = poll;
	const { baseUrl } = await poll.connection.connect();
	const settings = readSettings(poll.parameters, baseUrl);
	const { ids, areTyped, events, keepFinished } = settings;
	const owner = shortHash([VERSION, baseUrl, poll.credentialId]);
	const { records, queue } = readStored(staticData, owner);
	if (reason === 'test') return await readSamples(poll, settings, records);

	const nextRecords = recordsToKeep(records, settings);
	const itemsById = new Map<number, IDataObject[]>();
	const onRead = (observation: Observation) => {
		const { id } = observation;
		const { next, detected } = detectEvents(nextRecords.get(id), observation, settings);
		itemsById.set(
			id,
			detected.map((event) => itemOf(event, observation, settings)),
		);
		nextRecords.set(id, next);
	};
	const isWatched = (id: number) => keepFinished || !records.get(id)?.finished;
	const reportsNotFound = (id: number) =>
		records.has(id) && events.some(({ name }) => name === 'notFound');
	const reads = await readInstances(ids.filter(isWatched), poll, onRead, queue, reportsNotFound);
	if (areTyped && reason === 'publication') assertNotMistyped(reads, records);
	const isChanged = await areDifferent(records, nextRecords);
	const next = { for: owner, ids: Object.fromEntries(nextRecords) };
	// Stored before errors are thrown, since a new queue counts even if nothing was read.
	const needsSave = store(poll, next, ids.length > 0 ? nextQueue(reads) : queue, isChanged);
	logOrThrowErrors(reads, poll);
	const items = ids.flatMap((id) => itemsById.get(id) ?? []);
	return items.length > 0 || needsSave ? items : null;
});
