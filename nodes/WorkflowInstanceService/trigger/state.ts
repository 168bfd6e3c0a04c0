import type { IDataObject } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import type { InstanceState } from './detectEvents';

/** Raised when what is stored changes its form; what an older version left is not read. */
const VERSION = 1;

/** What a trigger remembers between polls. */
export interface TriggerState {
	/** What is stored of each instance, by its ID. */
	entries: ReadonlyMap<number, InstanceState>;
	/** The order of the IDs for the next poll, see `turns`. */
	queue: readonly number[];
}

/**
 * What a trigger remembers; nothing when it is of another version, or of another service.
 *
 * @param kept what n8n keeps, `{ v, for, ids: { <id>: <entry> }, queue }`
 * @param service what sets services apart
 */
export function readState(kept: IDataObject, service: string): TriggerState {
	if (kept.v !== VERSION || kept.for !== service) return { entries: new Map(), queue: [] };
	const entries = Object.entries(asObject(kept.ids)).flatMap(
		([id, entry]): Array<[number, InstanceState]> => (isObject(entry) ? [[Number(id), entry]] : []),
	);
	const queue = Array.isArray(kept.queue) ? kept.queue.map(Number) : [];
	return { entries: new Map(entries), queue };
}

/** Writes what is remembered, in one step. n8n sees which keys are set, and saves them when it may. */
export function writeState(
	kept: IDataObject,
	service: string,
	{ entries, queue }: TriggerState,
): void {
	const state = { v: VERSION, for: service, ids: Object.fromEntries(entries), queue: [...queue] };
	for (const [key, value] of Object.entries(state)) {
		if (JSON.stringify(kept[key]) !== JSON.stringify(value)) kept[key] = value;
	}
}
