import type { Change } from '../data/model';
import { toInstance } from '../data/representation';
import type { Address } from '../data/representation';
import type { InstanceStore } from '../data/store';
import type { FaultQueue } from '../faults/queue';
import type { FaultRule, QueuedFault } from '../faults/rules';
import type { Instance } from '../interface/instance';
import type { LogEntry } from './exchange';
import type { RateLimiter } from './rateLimiter';
import type { RequestLog, SandboxStats } from './requestLog';
import { PROPER } from './settings';
import type { SandboxSettings } from './settings';

/** The means to watch the sandbox and to make it misbehave. Also reachable over HTTP at `/control`. */
export interface SandboxControl {
	settings(): SandboxSettings;
	/** Changes these settings and keeps the others. */
	configure(changes: Partial<SandboxSettings>): SandboxSettings;
	setLatency(milliseconds: SandboxSettings['latencyMs']): void;
	setRateLimit(limit: SandboxSettings['rateLimit']): void;
	setSnapshotShape(shape: SandboxSettings['snapshotShape']): void;

	/**
	 * Adds a rule at the end of the queue; the first rule that applies wins. Returns the rule's ID.
	 * With `times: 0` and `ids` it makes instances sick (`respond` with 503, say) or `hang` forever.
	 */
	addFault(rule: FaultRule): number;
	/** The rules that still can apply. */
	faults(): QueuedFault[];
	clearFaults(): void;

	/** Everything as it was when the sandbox started: data, settings, faults, log, counters. */
	reset(): void;
	/** The seeded instances only, as they were when the sandbox started. */
	reseed(): void;
	/** Adds running instances. Returns their IDs. */
	addInstances(count: number): number[];
	/** An instance as a plain GET would return it, or undefined if it doesn't exist. */
	instance(id: number): Instance | undefined;
	/** Changes an instance as people do in the service. Returns false if there's no such instance. */
	change(id: number, changes: Change): boolean;
	/** IDs of all instances, ascending. */
	ids(): number[];

	/** The requests received, oldest first, those to `/control` left out. */
	log(): LogEntry[];
	stats(): SandboxStats;
	/** Forgets the log and sets the counters to zero. */
	clearLog(): void;
}

/** What the control works on. */
export interface ControlParts {
	store: InstanceStore;
	faults: FaultQueue;
	limiter: RateLimiter;
	log: RequestLog;
	address: Address;
}

/** Makes the means to watch the sandbox and to make it misbehave. */
export function createControl(parts: ControlParts): SandboxControl {
	const { store, faults, limiter, log, address } = parts;
	let settings: SandboxSettings = { ...PROPER };
	const configure = (changes: Partial<SandboxSettings>): SandboxSettings => {
		if (changes.rateLimit !== undefined) limiter.reset();
		settings = { ...settings, ...changes };
		return settings;
	};
	return {
		settings: () => settings,
		configure,
		setLatency: (latencyMs) => void configure({ latencyMs }),
		setRateLimit: (rateLimit) => void configure({ rateLimit }),
		setSnapshotShape: (snapshotShape) => void configure({ snapshotShape }),

		addFault: (rule) => faults.add(rule),
		faults: () => faults.list(),
		clearFaults: () => faults.clear(),

		reset: () => {
			configure(PROPER);
			faults.clear();
			store.reseed();
			log.clear();
		},
		reseed: () => store.reseed(),
		addInstances: (count) => store.addExtra(count),
		instance: (id) => {
			const stored = store.find(id);
			return stored && toInstance(stored, address);
		},
		change: (id, changes) => store.change(id, changes),
		ids: () => store.ids(),

		log: () => log.list(),
		stats: () => log.stats(),
		clearLog: () => log.clear(),
	};
}
