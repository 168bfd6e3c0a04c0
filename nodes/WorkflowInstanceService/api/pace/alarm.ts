import type { Clock } from '../clock';

/** Calls a function at the earliest time that it was set to. */
export class Alarm {
	private ringsAt = Infinity;

	private waiting = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	/** Makes it ring after a time in milliseconds, unless it rings before. */
	set(time: number): void {
		const milliseconds = Math.ceil(time);
		const at = this.clock.elapsed() + milliseconds;
		if (at >= this.ringsAt || at === Infinity) return;
		this.waiting.abort();
		this.waiting = new AbortController();
		this.ringsAt = at;
		const { signal } = this.waiting;
		void this.clock.sleep(milliseconds, signal).then(() => {
			if (signal.aborted) return;
			this.ringsAt = Infinity;
			this.ring();
		});
	}

	/** Keeps it from ringing. */
	clear(): void {
		this.waiting.abort();
	}
}
