import type { IDataObject } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import type { Entry } from './instanceState';

/** Raised when what is stored changes its form; what an older version left is not read. */
const VERSION = 1;

/** What is stored of each instance, by its ID. */
export type Entries = ReadonlyMap<number, Entry>;

/** What a trigger remembers between polls; nothing when it is of another version, or of another service. */
export function readState(kept: IDataObject, service: string) {
	const entries = new Map<number, Entry>();
	if (kept.v !== VERSION || kept.for !== service) return { entries, queue: [] };
	for (const [id, entry] of Object.entries(asObject(kept.ids))) {
		if (isObject(entry)) entries.set(Number(id), entry);
	}
	return { entries, queue: Array.isArray(kept.queue) ? kept.queue.map(Number) : [] };
}

/** Writes what is remembered, in one step. n8n sees which keys are set, and saves them when it may. */
export function writeState(kept: IDataObject, service: string, entries: Entries, queue: number[]) {
	const state = { v: VERSION, for: service, ids: Object.fromEntries(entries), queue };
	for (const [key, value] of Object.entries(state)) {
		if (JSON.stringify(kept[key]) !== JSON.stringify(value)) kept[key] = value;
	}
}
