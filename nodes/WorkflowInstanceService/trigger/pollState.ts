import type { IDataObject } from 'n8n-workflow';

import { asObject } from '../values/json';
import { canonical } from './events';

/** Raised when what is stored changes its form; what an older version left is not read. */
const VERSION = 1;

/** What is stored of instances, by their IDs; nothing when it is of another version, or of another service. */
export function openState(staticData: IDataObject, service: string) {
	const { v: version, for: owner } = staticData;
	const { ids, queue } = version === VERSION && owner === service ? staticData : {};
	const entries = Object.entries(asObject(ids));
	return {
		instances: new Map(entries.map(([id, stored]) => [Number(id), asObject(stored)])),
		queue: Array.isArray(queue) ? queue.map(Number) : [],

		/**
		 * Stores what n8n may save, and returns whether it has to: when an instance is new or has another value, but
		 * not after the very first poll, when n8n saves by itself. n8n notices which keys are set.
		 */
		write(instances: ReadonlyMap<number, IDataObject>, nextQueue: number[]): boolean {
			const next = { ids: Object.fromEntries(instances), queue: nextQueue };
			const state: IDataObject = { v: VERSION, for: service, ...next };
			const isChanged = (key: string) => canonical(staticData[key]) !== canonical(state[key]);
			const changed = Object.keys(state).filter(isChanged);
			for (const key of changed) staticData[key] = state[key];
			return changed.includes('ids') && version !== undefined;
		},
	};
}
