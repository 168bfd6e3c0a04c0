import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import { polling, type PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { detectEvents, type Observation, sampleOf } from './events';
import { openState } from './pollState';
import { nextQueue, readInstances, rejectMistyped, reportUnread } from './readInstances';
import { instanceIds, readSettings, type Settings } from './settings';

const MOST_SAMPLES = 10;

function itemOf(event: IDataObject, { id, instance = { id } }: Observation, { output }: Settings) {
	return { ...event, instance: toOutput(instance, output) };
}

async function samples(run: PollRun, settings: Settings, stored: ReadonlyMap<number, unknown>) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' returns no IDs at the moment`,
			'To get a sample, have it return at least one ID.',
		);
	}
	// Any of those that were typed in may be mistyped.
	const reads = await readInstances(areTyped ? ids : ids.slice(0, MOST_SAMPLES), run);
	if (areTyped) rejectMistyped(reads, stored);
	reportUnread(reads, run);
	const sampled = ids.flatMap((id) => reads.seen.get(id) ?? []).slice(0, MOST_SAMPLES);
	return sampled.map((seen) => itemOf(sampleOf(seen, events), seen, settings));
}

/** Returns what has happened since the poll before: items, none to have n8n save what is stored, or null. */
export const pollInstances = polling(async (run) => {
	const { baseUrl } = await run.open();
	const settings = readSettings(run, baseUrl);
	const { ids, areTyped, events, keepFinished } = settings;
	const state = openState(run.staticData, shortHash([baseUrl, run.credentialId]));
	const { instances: stored, queue } = state;
	if (run.isManual) return await samples(run, settings, stored);

	const isWatched = (id: number) => keepFinished || stored.get(id)?.x === undefined;
	const isGone = (id: number) => events.includes('notFound') && stored.has(id);
	const reads = await readInstances(ids.filter(isWatched), run, queue, isGone);
	if (areTyped && run.isPublishing) rejectMistyped(reads, stored);

	// An ID that was not read keeps what is stored, and so do all while an expression returns none.
	const listed = new Set(ids);
	const isKept = ([id]: [number, unknown]) => ids.length === 0 || listed.has(id);
	const next = new Map([...stored].filter(isKept));
	const items: IDataObject[] = [];
	for (const seen of ids.flatMap((id) => reads.seen.get(id) ?? [])) {
		const detected = detectEvents(stored.get(seen.id), seen, settings);
		next.set(seen.id, detected.stored);
		items.push(...detected.triggerEvents.map((event) => itemOf(event, seen, settings)));
	}
	// Written even if nothing was read: the next poll begins with other instances.
	const hasToBeSaved = state.write(next, nextQueue(reads));
	reportUnread(reads, run);
	return items.length > 0 || hasToBeSaved ? items : null;
});
