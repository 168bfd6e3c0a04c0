import type { SandboxClock } from '../clock';
import type { SettableValues } from '../interface/instance';
import type { Change, StoredInstance } from './model';
import { buildExtraInstance, buildSeed } from './seed';

/** Keeps the instances in memory. */
export class InstanceStore {
	private readonly instances = new Map<number, StoredInstance>();
	private readonly seedTime: number;
	private nextId = 1;

	constructor(private readonly clock: SandboxClock) {
		this.seedTime = clock.now();
		this.reseed();
	}

	/** Forgets everything and seeds again, as of the time of construction. */
	reseed(): void {
		this.instances.clear();
		this.nextId = 1;
		buildSeed(this.seedTime).forEach((instance) => this.insert(instance));
	}

	/** Adds running instances. Returns their IDs, which follow those already used. */
	addExtra(count: number): number[] {
		return Array.from({ length: count }, () => {
			const id = this.nextId;
			this.insert(buildExtraInstance(id, this.seedTime));
			return id;
		});
	}

	find(id: number): StoredInstance | undefined {
		return this.instances.get(id);
	}

	/** Replaces all client-settable properties. A changed process starts from its first step. */
	replace(stored: StoredInstance, processId: number, settable: SettableValues): StoredInstance {
		const stepsDone = stored.processId === processId ? stored.stepsDone : 0;
		const times = { ...stored.times, last_updated_time: this.timestamp() };
		const updated = { ...stored, processId, settable, stepsDone, times };
		this.instances.set(stored.id, updated);
		return updated;
	}

	/** Changes only what is there; false when there is no such instance. */
	change(id: number, { state, stepsDone, ...settable }: Change): boolean {
		const stored = this.instances.get(id);
		if (stored === undefined) return false;
		const time = this.timestamp();
		const ended = state && {
			completed_time: state === 'completed' ? time : null,
			aborted_time: state === 'aborted' ? time : null,
		};
		this.instances.set(id, {
			...stored,
			settable: { ...stored.settable, ...settable },
			times: { ...stored.times, ...ended, last_updated_time: time },
			stepsDone: stepsDone ?? stored.stepsDone,
		});
		return true;
	}

	/** Removes the instances; IDs that do not exist are passed over. */
	remove(ids: readonly number[]): void {
		ids.forEach((id) => this.instances.delete(id));
	}

	/** IDs of all instances, ascending (they're assigned in ascending order, which a Map keeps). */
	ids(): number[] {
		return [...this.instances.keys()];
	}

	private insert(instance: StoredInstance): void {
		this.instances.set(instance.id, instance);
		this.nextId = instance.id + 1;
	}

	private timestamp(): string {
		return new Date(this.clock.now()).toISOString();
	}
}
