import { buildExtraInstance, buildSeed } from './seed';
import type { Priority, StepAssignment } from '../interface/instance';

/** An instance as the store keeps it: no URIs, because those depend on the address of the service. */
export interface StoredInstance {
	id: number;
	processId: number;
	name: string | null;
	deadline: string | null;
	priority: Priority;
	tags: string[];
	stepAssignments: StepAssignment[];
	startedTime: string;
	completedTime: string | null;
	abortedTime: string | null;
	lastUpdatedTime: string;
	/** How many steps of the process are done, from the first step on. */
	stepsDone: number;
	publicToken: string;
}

/** The client-settable properties as they are to be stored, all of them. */
export type SettableProperties = Pick<
	StoredInstance,
	'processId' | 'name' | 'deadline' | 'priority' | 'tags' | 'stepAssignments'
>;

/** What people do to an instance in the service itself. */
export interface Change
	extends Partial<Pick<StoredInstance, 'deadline' | 'name' | 'priority' | 'stepsDone' | 'tags'>> {
	/** `running` reopens one that is finished. */
	state?: 'running' | 'completed' | 'aborted';
}

/** Keeps the instances in memory. Times are milliseconds since the epoch. */
export class InstanceStore {
	private readonly instances = new Map<number, StoredInstance>();
	private nextId = 1;

	constructor(private readonly seedTime: number) {
		this.reseed();
	}

	/** Forgets everything and seeds again, as of the time given at construction. */
	reseed(): void {
		this.instances.clear();
		this.nextId = 1;
		buildSeed(this.seedTime).forEach((instance) => this.insert(instance));
	}

	/** Adds running instances. Gives their ids, which follow those already given out. */
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
	replace(stored: StoredInstance, properties: SettableProperties, now: number): StoredInstance {
		const isOtherProcess = stored.processId !== properties.processId;
		const updated: StoredInstance = {
			...stored,
			...properties,
			stepsDone: isOtherProcess ? 0 : stored.stepsDone,
			lastUpdatedTime: new Date(now).toISOString(),
		};
		this.instances.set(stored.id, updated);
		return updated;
	}

	/** Changes what is given, at a time in milliseconds since 1970; false when there is no such instance. */
	change(id: number, { state, ...changes }: Change, now: number): boolean {
		const stored = this.instances.get(id);
		if (stored === undefined) return false;
		const time = new Date(now).toISOString();
		const ended = state && {
			completedTime: state === 'completed' ? time : null,
			abortedTime: state === 'aborted' ? time : null,
		};
		this.instances.set(id, { ...stored, ...changes, ...ended, lastUpdatedTime: time });
		return true;
	}

	/** Removes the instances; ids that do not exist are passed over. */
	remove(ids: readonly number[]): void {
		ids.forEach((id) => this.instances.delete(id));
	}

	/** Ids of all instances, ascending (ids are given out ascending, and a Map keeps that order). */
	ids(): number[] {
		return [...this.instances.keys()];
	}

	private insert(instance: StoredInstance): void {
		this.instances.set(instance.id, instance);
		this.nextId = instance.id + 1;
	}
}
