import type { IDataObject } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import type { InstanceState } from './detectEvents';
import type { Turns } from './turns';

/** Raised when what is remembered changes its form; what an older version left is not read. */
const VERSION = 1;

/** What n8n keeps for a trigger. What it remembers of each instance is in `detectEvents` and `events`. */
export interface TriggerState extends Turns {
	/** Whether nothing was kept yet, not even of another service. */
	isEmpty: boolean;
	entries: ReadonlyMap<number, InstanceState>;
}

/**
 * What a trigger remembers; nothing when it is of another version, or of another service.
 *
 * @param kept what n8n keeps, `{ v, for, ids: { <id>: <entry> }, next?, late? }`
 * @param service what tells services apart
 */
export function readState(kept: IDataObject, service: string): TriggerState {
	const isEmpty = kept.v === undefined;
	if (kept.v !== VERSION || kept.for !== service) {
		return { isEmpty, entries: new Map(), next: [], late: [] };
	}
	const entries = Object.entries(asObject(kept.ids)).flatMap(
		([id, entry]): Array<[number, InstanceState]> => (isObject(entry) ? [[Number(id), entry]] : []),
	);
	const idsIn = (key: string) => (Array.isArray(kept[key]) ? kept[key].map(Number) : []);
	return { isEmpty, entries: new Map(entries), next: idsIn('next'), late: idsIn('late') };
}

/** Writes what is remembered, in one step. n8n sees which keys are set, and saves them when it may. */
export function writeState(
	kept: IDataObject,
	service: string,
	{ entries, next, late }: Omit<TriggerState, 'isEmpty'>,
): void {
	const ids = Object.fromEntries(entries);
	const state = { v: VERSION, for: service, ids, next: [...next], late: [...late] };
	for (const [key, value] of Object.entries(state)) {
		if (JSON.stringify(kept[key]) !== JSON.stringify(value)) kept[key] = value;
	}
}
