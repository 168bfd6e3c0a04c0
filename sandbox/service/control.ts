import type { Service } from './api';
import type { createFaults, FaultRule } from './faults';
import type { Change, Instance, StoredInstance } from './instance';
import type { createLog } from './log';
import { type RateLimit, RateLimiter } from './rateLimit';
import { nextStage, reopened, toInstance } from './representation';

export interface SandboxParts {
	service: Service;
	faults: ReturnType<typeof createFaults>;
	limiter: RateLimiter | undefined;
	log: ReturnType<typeof createLog>;
	/** How many milliseconds every response under `/api` takes. */
	latencyMs: number;
}

export type SandboxControl = ReturnType<typeof createControl>;

/**
 * Creates the methods to watch the sandbox and to make it misbehave. Over HTTP, `POST /control/<method>`
 * calls a method with its arguments as a JSON array.
 */
export function createControl(parts: SandboxParts) {
	const { service, faults, log } = parts;
	const { store } = service;
	const instance = (id: number): Instance | undefined => {
		const stored = store.find(id);
		return stored && toInstance(stored, service.origin);
	};
	const changed = (id: number, changesOf: (stored: StoredInstance) => Change) => {
		const stored = store.find(id);
		if (stored) store.change(id, changesOf(stored));
		return instance(id);
	};
	return {
		setLatency: (latencyMs: number): void => void (parts.latencyMs = latencyMs),
		setRateLimit: (limit: RateLimit | null): void =>
			void (parts.limiter = limit === null ? undefined : new RateLimiter(limit)),
		/**
		 * Adds a rule at the end of the queue; the first rule that applies wins. With `times: 0` and
		 * `ids`, instances fail or hang until {@link clearFaults} is called.
		 */
		addFault: (rule: FaultRule): void => faults.add(rule),
		clearFaults: (): void => faults.clear(),
		/** Everything as it was when the sandbox started: data, settings, faults, log, counters. */
		reset(): void {
			parts.latencyMs = 0;
			parts.limiter = undefined;
			faults.clear();
			store.reset();
			log.clear();
		},

		/** Adds running instances. Returns their IDs. */
		addInstances: (count: number): number[] => store.add(count),
		/** An instance as a plain GET would return it, or undefined if it doesn't exist. */
		instance,
		/** Moves a running instance to its next stage; from the last one, it's completed. */
		advance: (id: number) => changed(id, nextStage),
		complete: (id: number) => changed(id, () => ({ state: 'completed' })),
		abort: (id: number) => changed(id, () => ({ state: 'aborted' })),
		/** Makes a finished instance run again, in the stage in which it ended. */
		reopen: (id: number) => changed(id, reopened),
		/** Changes an instance as people would in the service. Returns false if there's no such instance. */
		change: (id: number, changes: Change): boolean => store.change(id, changes),
		/** IDs of all instances, ascending. */
		ids: (): number[] => store.ids(),

		/** The requests received, oldest first, without those to `/control`. */
		log: () => log.list(),
		stats: () => log.stats(),
		/** Forgets the log and sets the counters to zero. */
		clearLog: (): void => log.clear(),
	};
}
