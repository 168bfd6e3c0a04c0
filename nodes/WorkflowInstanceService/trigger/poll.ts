import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { toOutput } from '../instance/output';
import { polling, type PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import { detectEvents, type Entry, isNoLongerWatched, sampleOf } from './instanceState';
import type { Observation } from './events';
import { readInstances, rejectMistyped, reportUnread } from './readInstances';
import { readSettings, type Settings } from './settings';
import { type Entries, readState, writeState } from './staticData';
import { inTurn, queueAfter } from './turns';

const MOST_SAMPLES = 10;

function itemOf(event: IDataObject, { id, instance = { id } }: Observation, { output }: Settings) {
	return { ...event, instance: toOutput(instance, output) };
}

async function samples(run: PollRun, settings: Settings, entries: Entries) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' returns no IDs at the moment`,
			'To get a sample, have it return at least one ID.',
		);
	}
	const asked = areTyped ? ids : ids.slice(0, MOST_SAMPLES);
	const reads = await readInstances(asked, run, settings);
	rejectMistyped(reads, entries, settings);
	await reportUnread(asked, reads, run);
	const sampled = asked.flatMap((id) => reads.seen.get(id) ?? []).slice(0, MOST_SAMPLES);
	return sampled.map((seen) => itemOf(sampleOf(seen, events), seen, settings));
}

/**
 * Returns what has happened since the poll before. n8n saves what is stored with an emission, and after an
 * activation; so the very first poll returns null, and a later one that has only first sights an emission
 * without items (docs/dev/n8n-engine.md#what-a-poll-remembers).
 */
export const pollInstances = polling(async (run) => {
	const settings = readSettings(run);
	const { ids, events, keepFinished } = settings;
	const { kept } = run;
	const { baseUrl } = await run.connection.open(settings.limits);
	const service = shortHash([baseUrl, run.credentialId]);
	const { entries, queue } = readState(kept, service);
	if (run.isManual) return await samples(run, settings, entries);
	const isVeryFirst = kept.v === undefined;
	if (ids.length === 0) {
		// What was seen stays, and whatever comes later is no longer the very first.
		writeState(kept, service, entries, queue);
		return null;
	}
	const isChecked = (id: number) => keepFinished || !isNoLongerWatched(entries.get(id));
	const order = inTurn(ids.filter(isChecked), queue);
	const isGone = (id: number) => events.includes('notFound') && entries.has(id);
	const reads = await readInstances(order, run, settings, isGone);
	if (run.isAttended) rejectMistyped(reads, entries, settings);

	// An ID that was not read keeps what is stored.
	const next = new Map<number, Entry>([...entries].filter(([id]) => ids.includes(id)));
	const items: IDataObject[] = [];
	let isFirstSight = false;
	for (const seen of ids.flatMap((id) => reads.seen.get(id) ?? [])) {
		const detected = detectEvents(entries.get(seen.id), seen, settings);
		next.set(seen.id, detected.entry);
		items.push(...detected.triggerEvents.map((event) => itemOf(event, seen, settings)));
		isFirstSight ||= detected.isFirstSight;
	}
	// Written even if nothing was read: the next poll begins with other instances.
	writeState(kept, service, next, queueAfter(order, reads, systemClock.chance()));
	await reportUnread(order, reads, run);
	if (items.length > 0) return items;
	return isFirstSight && !isVeryFirst ? [] : null;
});
