import type { Change, Instance } from './instance';
import type { createFaults, FaultRule } from './faults';
import type { createRateLimiter, RateLimit } from './rateLimit';
import { type Address, type SnapshotShape, toInstance } from './representation';
import type { createRequestLog } from './requestLog';
import type { InstanceStore } from './store';

/** What lasts until it is changed. */
export interface SandboxSettings {
	/** Milliseconds that every response under `/api` takes. */
	latencyMs: number;
	rateLimit: RateLimit | null;
	snapshotShape: SnapshotShape;
	/** What becomes of a bulk delete with IDs that don't exist: they're ignored, or it's rejected. */
	unknownIds: 'passedOver' | 'refused';
}

const WELL_BEHAVED: Readonly<SandboxSettings> = {
	latencyMs: 0,
	rateLimit: null,
	snapshotShape: 'text',
	unknownIds: 'passedOver',
};

/** What the control works on. */
export interface ControlParts {
	store: InstanceStore;
	faults: ReturnType<typeof createFaults>;
	limiter: ReturnType<typeof createRateLimiter>;
	log: ReturnType<typeof createRequestLog>;
	address: Address;
}

export type SandboxControl = ReturnType<typeof createControl>;

/**
 * Makes the means to watch the sandbox and to make it misbehave. Over HTTP, `POST /control/<method>`
 * calls a method with its arguments as a JSON array.
 */
export function createControl({ store, faults, limiter, log, address }: ControlParts) {
	let settings = WELL_BEHAVED;
	const configure = (changes: Partial<SandboxSettings>): SandboxSettings => {
		if (changes.rateLimit !== undefined) limiter.reset();
		settings = { ...settings, ...changes };
		return settings;
	};
	return {
		/** Changes these settings and keeps the others. Returns all of them. */
		configure,
		setLatency: (latencyMs: number): void => void configure({ latencyMs }),
		setRateLimit: (rateLimit: RateLimit | null): void => void configure({ rateLimit }),
		setSnapshotShape: (snapshotShape: SnapshotShape): void => void configure({ snapshotShape }),

		/**
		 * Adds a rule at the end of the queue; the first rule that applies wins. With `times: 0` and
		 * `ids`, instances fail or hang until {@link clearFaults} is called.
		 */
		addFault: (rule: FaultRule): void => faults.add(rule),
		clearFaults: (): void => faults.clear(),

		/** Everything as it was when the sandbox started: data, settings, faults, log, counters. */
		reset(): void {
			configure(WELL_BEHAVED);
			faults.clear();
			store.reset();
			log.clear();
		},
		/** Adds running instances. Returns their IDs. */
		addInstances: (count: number): number[] => store.add(count),
		/** An instance as a plain GET would return it, or undefined if it doesn't exist. */
		instance(id: number): Instance | undefined {
			const stored = store.find(id);
			return stored && toInstance(stored, address);
		},
		/** Changes an instance as people do in the service. Returns false if there's no such instance. */
		change: (id: number, changes: Change): boolean => store.change(id, changes),
		/** IDs of all instances, ascending. */
		ids: (): number[] => store.ids(),

		/** The requests received, oldest first, those to `/control` left out. */
		log: () => log.list(),
		stats: () => log.stats(),
		/** Forgets the log and sets the counters to zero. */
		clearLog: (): void => log.clear(),
	};
}
