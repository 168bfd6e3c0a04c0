import type { IDataObject } from 'n8n-workflow';

import { toOutput } from '../instance/output';
import type { PollOperation, PollRun } from '../n8n/pollRun';
import { shortHash } from '../values/hash';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import type { Sight } from './events';
import { type Entry, type Happening, isLeftAlone, judge, sampleOf } from './judge';
import { lookAt, type Looks } from './look';
import { type Memory, readMemory, writeMemory } from './memory';
import { readSettings, type Settings } from './settings';

/** IDs in the order in which to ask: first those that the poll before had no time for. */
function inTurn(ids: number[], next: number | undefined): number[] {
	const start = Math.max(
		ids.findIndex((id) => id === next),
		0,
	);
	return [...ids.slice(start), ...ids.slice(0, start)];
}

/**
 * What was seen of each instance. That the service does not find one is something to see when that is
 * watched for, and the instance was there before.
 */
function sightsOf(
	{ found, refused }: Looks,
	{ entries }: Pick<Memory, 'entries'>,
	{ events }: Settings,
): Map<number, Sight> {
	const sights = new Map<number, Sight>();
	for (const [id, { instance, serviceTime }] of found) {
		sights.set(id, { instance, at: serviceTime ?? Date.now() });
	}
	for (const [id, { isAbsent }] of refused) {
		const isSeen = isAbsent && entries.has(id) && events.includes('notFound');
		if (isSeen) sights.set(id, { instance: undefined, at: Date.now() });
	}
	return sights;
}

async function whyNothing({ refused, next }: Looks, run: PollRun): Promise<UserFacingError> {
	const [error] = refused.values();
	return error ?? (await run.timeUpError(`instance ${next}`));
}

const MOST_NAMED = 20;

/** The others go on; what is not told in an item has to stand somewhere. */
function logRefused(refused: Map<number, UserFacingError>, run: PollRun): void {
	const [first] = refused.values();
	if (first === undefined) return;
	const ids = [...refused.keys()];
	const more = ids.length > MOST_NAMED ? ' …' : '';
	run.log(
		'warn',
		`Watched instances that were not read (${ids.length}): ${ids.slice(0, MOST_NAMED).join(', ')}${more}. ${first.message}`,
	);
}

function itemOf(
	id: number,
	happening: Happening,
	{ instance }: Sight,
	{ output }: Settings,
): IDataObject {
	const { event, eventId, changes } = happening;
	return { event, eventId, changes, instance: toOutput(instance ?? { id }, output) };
}

async function samples(run: PollRun, settings: Settings): Promise<IDataObject[]> {
	const { ids, limits, events } = settings;
	if (ids.length === 0) {
		throw new UserFacingError(
			`The expression in '${instanceIds.displayName}' gives no ID at the moment`,
			'To get a sample, let it give at least one.',
		);
	}
	const looks = await lookAt(ids, run, limits);
	if (looks.found.size === 0) throw await whyNothing(looks, run);
	logRefused(looks.refused, run);
	const sights = sightsOf(looks, { entries: new Map() }, settings);
	return [...sights].map(([id, sight]) => itemOf(id, sampleOf(id, sight, events), sight, settings));
}

/** What a poll comes to. */
interface Outcome {
	entries: Map<number, Entry>;
	items: IDataObject[];
	isFirstSight: boolean;
}

/** Compares what was seen with what is remembered. Of an ID that was not read, all stays as it was. */
function compare(sights: Map<number, Sight>, { entries }: Memory, settings: Settings): Outcome {
	const outcome: Outcome = { entries: new Map(), items: [], isFirstSight: false };
	for (const id of settings.ids) {
		const known = entries.get(id);
		const sight = sights.get(id);
		if (sight === undefined) {
			if (known !== undefined) outcome.entries.set(id, known);
			continue;
		}
		const { entry, happenings, isFirstSight } = judge(id, known, sight, settings);
		outcome.entries.set(id, entry);
		outcome.items.push(...happenings.map((each) => itemOf(id, each, sight, settings)));
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
	if (run.isManual) return await samples(run, settings);
	const { kept } = run;
	const { baseUrl } = await run.connect();
	const service = shortHash([baseUrl, run.credentialId]);
	const memory = readMemory(kept, service);
	if (settings.ids.length === 0) {
		// What was seen stays, and whatever comes later is no longer the very first.
		if (memory.isEmpty) writeMemory(kept, service, memory);
		return null;
	}
	const isAsked = (id: number) => settings.keepFinished || !isLeftAlone(memory.entries.get(id));
	const asked = inTurn(settings.ids, memory.next).filter(isAsked);
	if (asked.length === 0) return null;

	const looks = await lookAt(asked, run, settings.limits);
	const sights = sightsOf(looks, memory, settings);
	if (sights.size === 0) throw await whyNothing(looks, run);
	logRefused(new Map([...looks.refused].filter(([id]) => !sights.has(id))), run);
	const { entries, items, isFirstSight } = compare(sights, memory, settings);
	writeMemory(kept, service, { entries, next: looks.next });
	if (items.length > 0) return items;
	return isFirstSight && !memory.isEmpty ? [] : null;
};
