import type { Address } from './representation';
import { toInstance } from './representation';
import type { FaultQueue } from './faults';
import type { RateLimiter } from './rateLimiter';
import type { RequestLog } from './requestLog';
import type { InstanceStore } from './store';
import type { SandboxControl, SandboxSettings } from './types';

/** What the control works on. */
export interface ControlParts {
	store: InstanceStore;
	faults: FaultQueue;
	limiter: RateLimiter;
	log: RequestLog;
	address: Address;
}

/** The settings of a service that behaves. */
export const PROPER: Readonly<SandboxSettings> = {
	latencyMs: 0,
	rateLimit: null,
	snapshotShape: 'text',
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
		ids: () => store.ids(),

		log: () => log.list(),
		stats: () => log.stats(),
		clearLog: () => log.clear(),
	};
}
