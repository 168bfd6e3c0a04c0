import type { Clock } from '../clock';

/** Rings at the earliest time that it was set to. */
export class Alarm {
	private ringsAt = Infinity;

	private waiting = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	/** Makes it ring after a time in milliseconds, unless it rings before. */
	set(milliseconds: number): void {
		const at = this.clock.now() + milliseconds;
		if (at >= this.ringsAt) return;
		this.clear();
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
		this.waiting = new AbortController();
		this.ringsAt = Infinity;
	}
}
