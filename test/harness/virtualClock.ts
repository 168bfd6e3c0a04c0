import { type Clock, systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { SandboxClock } from '../../sandbox/service';
import { watchRequests } from './network';

/** After this many turns of the event loop without any news, everything is waiting for the clock, even sockets. */
const QUIET_TURNS = 20;

interface ClockOptions {
	start?: number;
	/** Returns random numbers from 0 to below 1. Default: always 0. */
	chance?(): number;
	/** If no sockets are in use, one is enough. */
	quietTurns?: number;
}

interface Sleeper {
	at: number;
	wake(): void;
}

async function nextTurn(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A clock that doesn't run by itself: as soon as everything is asleep, it jumps to the moment at which
 * the next sleeper wakes. Those that sleep until the same moment wake in the order in which they
 * fell asleep.
 */
export class VirtualClock implements Clock {
	private time: number;
	/** The next one to wake comes last. */
	private sleepers: Sleeper[] = [];
	/** How many tasks are in progress that take no time on this clock. */
	private busy = 0;
	/** Grows with each thing that happens. */
	private news = 0;
	private isWatching = false;

	constructor(private readonly options: ClockOptions = {}) {
		this.time = options.start ?? Date.UTC(2026, 6, 1, 10);
	}

	now = (): number => this.time;
	elapsed = (): number => this.time;
	chance = (): number => this.options.chance?.() ?? 0;

	sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		this.news++;
		if (!(milliseconds > 0)) return await nextTurn();
		await new Promise<void>((resolve) => {
			const wake = () => {
				const place = this.sleepers.lastIndexOf(sleeper);
				if (place >= 0) this.sleepers.splice(place, 1);
				signal?.removeEventListener('abort', wake);
				this.news++;
				resolve();
			};
			const sleeper: Sleeper = { at: this.time + milliseconds, wake };
			// Most sleep only briefly, so their place is near the end.
			const place = this.sleepers.findLastIndex(({ at }) => at > sleeper.at) + 1;
			this.sleepers.splice(place, 0, sleeper);
			signal?.addEventListener('abort', wake, { once: true });
			void this.watch();
		});
	};

	/** Holds the time until {@link end} is called as often. */
	hold(): void {
		this.news++;
		this.busy++;
	}

	end(): void {
		this.news++;
		this.busy--;
	}

	/** Stops the clock: whatever is asleep stays asleep. */
	stop(): void {
		this.sleepers = [];
	}

	private async watch(): Promise<void> {
		if (this.isWatching) return;
		this.isWatching = true;
		for (let quietTurns = 0, seen = this.news; this.sleepers.length > 0; quietTurns++) {
			await nextTurn();
			if (this.news !== seen || this.busy > 0) {
				seen = this.news;
				quietTurns = 0;
			}
			const next = this.sleepers.at(-1);
			if (quietTurns < (this.options.quietTurns ?? QUIET_TURNS) || next === undefined) continue;
			if (next.at === Infinity) break;
			this.time = Math.max(this.time, next.at);
			next.wake();
		}
		this.isWatching = false;
	}
}

let current: VirtualClock | undefined;

/** For a sandbox: the clock of the current test, if any, or `otherwise`. While it sleeps, its request holds no time. */
export function clockOfSandbox(otherwise: SandboxClock): SandboxClock {
	return {
		now: () => (current ?? otherwise).now(),
		async sleep(milliseconds, signal) {
			const clock = current;
			if (clock === undefined) return await otherwise.sleep(milliseconds, signal);
			clock.end();
			await clock.sleep(milliseconds, signal);
			clock.hold();
		},
	};
}

/**
 * Holds the time of the current test, if it has a clock, until the returned function is called: for work
 * that takes an unpredictable time, e.g. what n8n sets up before it runs a node.
 */
export function holdTime(): () => void {
	const clock = current;
	let isHeld = clock !== undefined;
	clock?.hold();
	return () => {
		if (isHeld) clock?.end();
		isHeld = false;
	};
}

/**
 * Gives each test of a file or describe block its own virtual clock, with which the nodes and the sandbox
 * wait. While a request is in progress, time passes only when the sandbox sleeps.
 */
export function useVirtualClock(options?: ClockOptions): () => VirtualClock {
	const original = { ...systemClock };
	let endWatch = () => {};
	beforeEach(() => {
		const clock = new VirtualClock(options);
		current = clock;
		const { now, elapsed, chance, sleep } = clock;
		Object.assign(systemClock, { now, elapsed, chance, sleep });
		endWatch = watchRequests((request) => request.once('close', holdTime()));
	});
	afterEach(() => {
		endWatch();
		current?.stop();
		current = undefined;
		Object.assign(systemClock, original);
	});
	return () => {
		if (current === undefined) throw new Error('The clock is there within a test only.');
		return current;
	};
}
