import type { IDataObject } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import type { InstanceState } from './detectEvents';

/** Raised when what is remembered changes its form; what an older version left is not read. */
const VERSION = 1;

/** What n8n keeps for a trigger. */
export interface TriggerState {
	/** Whether nothing was kept yet, not even of another service. */
	isEmpty: boolean;
	entries: ReadonlyMap<number, InstanceState>;
	/** With which ID to go on, when the time of the poll before was up. */
	next: number | undefined;
}

/**
 * What a trigger remembers; nothing when it is of another version, or of another service.
 *
 * @param kept what n8n keeps, `{ v, for, ids: { <id>: <entry> }, next? }`
 * @param service what tells services apart
 */
export function readState(kept: IDataObject, service: string): TriggerState {
	const isEmpty = kept.v === undefined;
	if (kept.v !== VERSION || kept.for !== service) {
		return { isEmpty, entries: new Map(), next: undefined };
	}
	const entries = Object.entries(asObject(kept.ids)).flatMap(
		([id, entry]): Array<[number, InstanceState]> => (isObject(entry) ? [[Number(id), entry]] : []),
	);
	return { isEmpty, entries: new Map(entries), next: Number(kept.next) || undefined };
}

/** Writes what is remembered, in one step. n8n sees which keys are set, and saves them when it may. */
export function writeState(
	kept: IDataObject,
	service: string,
	{ entries, next }: Omit<TriggerState, 'isEmpty'>,
): void {
	const state = { v: VERSION, for: service, ids: Object.fromEntries(entries), next: next ?? 0 };
	for (const [key, value] of Object.entries(state)) {
		if (JSON.stringify(kept[key]) !== JSON.stringify(value)) kept[key] = value;
	}
}
