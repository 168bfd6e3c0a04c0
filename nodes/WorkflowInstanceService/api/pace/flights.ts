import type { PacedRequest } from './pacedRequest';

/** After so long without news one more request may be in flight: those that are may hang. */
export const PATIENCE_MS = 1_000;

/** One try of a request. */
export interface Flight {
	readonly request: PacedRequest;
	/** Its place among all tries, in the order in which they began; the first is 1. */
	readonly number: number;
	/** In milliseconds since 1970. */
	readonly begunAt: number;
	/** What the adaptive limit calls its window. */
	readonly window: number;
	/** Whether it reads something once more, only to find out whether there is a limit. */
	readonly isProbe: boolean;
	/** Whether one that began later has ended. */
	isOvertaken: boolean;
}

/** The requests in flight, in the order in which they began. */
export class Flights {
	/** How many have begun. */
	begun = 0;

	/** When the last one began, in milliseconds since 1970. */
	lastBegunAt = -Infinity;

	private readonly all = new Set<Flight>();

	private lastNews = 0;

	get size(): number {
		return this.all.size;
	}

	add(flight: Flight): void {
		this.all.add(flight);
		this.lastNews = this.lastBegunAt = flight.begunAt;
	}

	/** @returns whether it was still there */
	end(flight: Flight, now: number): boolean {
		this.lastNews = now;
		return this.all.delete(flight);
	}

	/** Those that began earlier may hang. */
	overtake({ number }: Flight): void {
		for (const other of this.all) if (other.number < number) other.isOvertaken = true;
	}

	/** Whether all of them suit. */
	every(suits: (flight: Flight) => boolean): boolean {
		for (const flight of this.all) if (!suits(flight)) return false;
		return true;
	}

	/** How long until somebody has to act without news, in milliseconds. */
	patienceAt(now: number): number {
		return this.lastNews + PATIENCE_MS - now;
	}

	/** Whether there is room for another one. What hangs while others do not takes no place. */
	hasRoom(limit: number, now: number): boolean {
		let count = this.all.size;
		for (const { begunAt, isOvertaken } of this.all) {
			if (now - begunAt < PATIENCE_MS) break;
			if (isOvertaken) count--;
		}
		return count < limit;
	}
}
