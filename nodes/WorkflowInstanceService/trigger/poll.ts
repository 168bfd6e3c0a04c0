import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import { polling, type PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { detectEvents, isNoLongerWatched, sampleOf, type StoredInstance } from './detectEvents';
import type { Observation } from './events';
import { inTurn, nextQueue, readState, type StoredInstances, writeState } from './pollState';
import {
	readInstances,
	rejectMistyped,
	reportUnread,
	reportUnreadableTimes,
} from './readInstances';
import { instanceIds, readSettings, type Settings } from './settings';

const MOST_SAMPLES = 10;

function itemOf(event: IDataObject, { id, instance = { id } }: Observation, { output }: Settings) {
	return { ...event, instance: toOutput(instance, output) };
}

async function samples(run: PollRun, settings: Settings, stored: StoredInstances) {
	const { ids, areTyped, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' returns no IDs at the moment`,
			'To get a sample, have it return at least one ID.',
		);
	}
	const checked = areTyped ? ids : ids.slice(0, MOST_SAMPLES);
	const reads = await readInstances(checked, run);
	rejectMistyped(reads, stored, settings);
	reportUnread(reads, run);
	const sampled = checked.flatMap((id) => reads.seen.get(id) ?? []).slice(0, MOST_SAMPLES);
	return sampled.map((seen) => itemOf(sampleOf(seen, events), seen, settings));
}

/**
 * Returns what has happened since the poll before. n8n saves what is stored with an emission, and after an
 * activation; so the very first poll returns null, and a later one without events returns an emission without items
 * if anything else has to be saved (docs/dev/n8n-engine.md#what-a-poll-remembers).
 */
export const pollInstances = polling(async (run) => {
	const { staticData } = run;
	const { baseUrl } = await run.open();
	const settings = readSettings(run, baseUrl);
	const { ids, events, keepFinished } = settings;
	const service = shortHash([baseUrl, run.credentialId]);
	const { instances: stored, queue } = readState(staticData, service);
	if (run.isManual) return await samples(run, settings, stored);
	const isVeryFirst = staticData.v === undefined;
	if (ids.length === 0) {
		// What was seen stays, and whatever comes later is no longer the very first.
		writeState(staticData, service, stored, queue);
		return null;
	}
	const isChecked = (id: number) => keepFinished || !isNoLongerWatched(stored.get(id));
	const order = inTurn(ids.filter(isChecked), queue);
	const isGone = (id: number) => events.includes('notFound') && stored.has(id);
	const reads = await readInstances(order, run, isGone);
	if (run.isAttended) rejectMistyped(reads, stored, settings);

	// An ID that was not read keeps what is stored.
	const next = new Map<number, StoredInstance>([...stored].filter(([id]) => ids.includes(id)));
	const items: IDataObject[] = [];
	for (const seen of ids.flatMap((id) => reads.seen.get(id) ?? [])) {
		const detected = detectEvents(stored.get(seen.id), seen, settings);
		next.set(seen.id, detected.stored);
		items.push(...detected.triggerEvents.map((event) => itemOf(event, seen, settings)));
	}
	// Written even if nothing was read: the next poll begins with other instances.
	const changed = writeState(staticData, service, next, nextQueue(order, reads));
	reportUnread(reads, run);
	reportUnreadableTimes(reads, run, settings);
	if (items.length > 0) return items;
	return changed.includes('ids') && !isVeryFirst ? [] : null;
});
