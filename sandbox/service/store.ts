import type { SandboxClock } from './clock';
import type { Change, SettableValues, StoredInstance } from './instance';
import { buildInstance, SEEDED } from './seed';

export type InstanceStore = ReturnType<typeof createStore>;

/** Keeps the instances in memory. The times of seeded ones are relative to now. */
export function createStore(clock: SandboxClock) {
	const seedTime = clock.now();
	const instances = new Map<number, StoredInstance>();
	let lastId = 0;
	const insert = (instance: StoredInstance): void => {
		instances.set(instance.id, instance);
		lastId = instance.id;
	};
	const touch = (stored: StoredInstance, changes: Partial<StoredInstance>): StoredInstance => {
		const last_updated_time = new Date(clock.now()).toISOString();
		const times = { ...stored.times, ...changes.times, last_updated_time };
		const updated = { ...stored, ...changes, times };
		instances.set(stored.id, updated);
		return updated;
	};
	const store = {
		/** Everything as it was when the store was created. */
		reset(): void {
			instances.clear();
			for (const seeded of SEEDED) insert(buildInstance(seeded, seedTime));
		},
		/** Adds running instances. Returns their IDs, which follow those already used. */
		add(count: number): number[] {
			return Array.from({ length: count }, () => {
				const id = lastId + 1;
				const seeded = { id, process: 11, name: `Onboarding ${id}`, started: -1, stepsDone: 0 };
				insert(buildInstance(seeded, seedTime));
				return lastId;
			});
		},
		find: (id: number) => instances.get(id),
		/** All IDs, ascending: they're assigned in this order, and a Map keeps it. */
		ids: () => [...instances.keys()],
		/** Replaces all client-settable values. An instance that gets another process starts at the first step. */
		replace(stored: StoredInstance, processId: number, settable: SettableValues): StoredInstance {
			const stepsDone = stored.processId === processId ? stored.stepsDone : 0;
			return touch(stored, { processId, settable, stepsDone });
		},
		/** Changes only these values. Returns false if there's no such instance. */
		change(id: number, { state, stepsDone, ...values }: Change): boolean {
			const stored = instances.get(id);
			if (stored === undefined) return false;
			const time = new Date(clock.now()).toISOString();
			const ended = state && {
				completed_time: state === 'completed' ? time : null,
				aborted_time: state === 'aborted' ? time : null,
			};
			touch(stored, {
				settable: { ...stored.settable, ...values },
				times: { ...stored.times, ...ended },
				stepsDone: stepsDone ?? stored.stepsDone,
			});
			return true;
		},
		/** Removes instances. IDs that don't exist are ignored. */
		remove: (ids: readonly number[]) => ids.forEach((id) => instances.delete(id)),
	};
	store.reset();
	return store;
}
