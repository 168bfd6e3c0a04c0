import { toInstance } from '../data/representation';
import type { Address, SnapshotShape } from '../data/representation';
import type { Change, InstanceStore } from '../data/store';
import type { FaultQueue } from '../faults/queue';
import type { FaultRule, QueuedFault } from '../faults/rules';
import type { Instance } from '../interface/instance';
import type { RateLimit, RateLimiter } from './rateLimiter';
import type { LogEntry, RequestLog, SandboxStats } from './requestLog';

/** `passedOver`: the others are deleted; `refused`: nothing is, and the answer is 400. */
export type UnknownIds = 'passedOver' | 'refused';

/** The settings that last until they are changed. */
export interface SandboxSettings {
	/** Milliseconds that every answer under `/api` takes. */
	latencyMs: number;
	rateLimit: RateLimit | null;
	snapshotShape: SnapshotShape;
	/** What becomes of a bulk delete that names ids that do not exist. */
	unknownIds: UnknownIds;
}

/** The means to watch the sandbox and to make it misbehave. Also reachable over HTTP at `/control`. */
export interface SandboxControl {
	settings(): SandboxSettings;
	/** Changes the settings given, leaves the others. Throws RangeError on a value out of bounds. */
	configure(changes: Partial<SandboxSettings>): SandboxSettings;
	setLatency(milliseconds: number): void;
	setRateLimit(limit: RateLimit | null): void;
	setSnapshotShape(shape: SnapshotShape): void;

	/** Adds a rule at the end of the queue; the first rule that applies wins. Gives the rule's id. */
	addFault(rule: FaultRule): number;
	/** The rules that still can apply. */
	faults(): QueuedFault[];
	clearFaults(): void;

	/** Everything as it was when the sandbox started: data, settings, faults, log, counters. */
	reset(): void;
	/** The seeded instances only, as they were when the sandbox started. */
	reseed(): void;
	/** Adds running instances (1 to 20,000 a call). Gives their ids. */
	addInstances(count: number): number[];
	/** One instance as stored, as a plain GET would answer it; undefined when there is none. */
	instance(id: number): Instance | undefined;
	/** Changes an instance as people do in the service itself. False when there is none. */
	change(id: number, changes: Change): boolean;
	/** Ids of all instances, ascending. */
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

/** The settings of a service that behaves. */
const PROPER: Readonly<SandboxSettings> = {
	latencyMs: 0,
	rateLimit: null,
	snapshotShape: 'text',
	unknownIds: 'passedOver',
};

const MOST_EXTRA = 20_000;
const MOST_LATENCY_MS = 600_000;

function checkWhole(what: string, value: number, least: number, most: number): void {
	if (Number.isInteger(value) && value >= least && value <= most) return;
	throw new RangeError(`${what} must be a whole number from ${least} to ${most}; it was ${value}`);
}

function checkSettings({ latencyMs, rateLimit }: SandboxSettings): void {
	checkWhole('latencyMs', latencyMs, 0, MOST_LATENCY_MS);
	if (rateLimit === null) return;
	checkWhole('perSecond', rateLimit.perSecond, 0, 1_000_000);
	checkWhole('retryAfterSeconds', rateLimit.retryAfterSeconds ?? 0, 0, 86_400);
}

/** Makes the means to watch the sandbox and to make it misbehave. */
export function createControl(parts: ControlParts): SandboxControl {
	const { store, faults, limiter, log, address } = parts;
	let settings: SandboxSettings = { ...PROPER };
	const configure = (changes: Partial<SandboxSettings>): SandboxSettings => {
		const changed = { ...settings, ...changes };
		checkSettings(changed);
		if (changes.rateLimit !== undefined) limiter.reset();
		settings = changed;
		return { ...settings };
	};
	return {
		settings: () => ({ ...settings }),
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
		addInstances: (count) => {
			checkWhole('count', count, 1, MOST_EXTRA);
			return store.addExtra(count);
		},
		instance: (id) => {
			const stored = store.find(id);
			return stored && toInstance(stored, address);
		},
		change: (id, changes) => store.change(id, changes, Date.now()),
		ids: () => store.ids(),

		log: () => log.list(),
		stats: () => log.stats(),
		clearLog: () => log.clear(),
	};
}
