import type { Flight } from './flights';
import type { Line, Turn } from './line';
import type { PacedRequest } from './pacedRequest';
import { RequestQueue, type Waiting } from './requestQueue';

/** One run at the limiter. */
export class Member {
	readonly queue = new RequestQueue<Turn>();

	readonly departure = new AbortController();

	/** Its requests that wait by themselves. */
	readonly resting = new Set<PacedRequest>();

	readonly flights = new Set<Flight>();

	/** What reads something once more. */
	read: Parameters<Line['probeBy']>[0] | undefined;

	/** Whether none of its requests wait. */
	get isIdle(): boolean {
		return this.queue.isEmpty && this.resting.size === 0;
	}

	/** Lets no more requests in. */
	close(): void {
		this.departure.abort();
		this.queue.close();
		for (const request of this.resting) request.wake();
	}
}

/** The runs at the limiter: they have turns one after another. */
export class RunOrder {
	/** The run whose turn is next comes first. */
	private readonly members: Member[] = [];

	get isEmpty(): boolean {
		return this.members.length === 0;
	}

	/** Whether no request waits for a turn. */
	get hasNobodyWaiting(): boolean {
		return this.members.every(({ queue }) => queue.isEmpty);
	}

	/** Whether no request waits, for a turn or by itself. */
	get isIdle(): boolean {
		return this.members.every(({ isIdle }) => isIdle);
	}

	add(member: Member): void {
		this.members.push(member);
	}

	/** @returns whether it was there */
	remove(member: Member): boolean {
		const place = this.members.indexOf(member);
		if (place === -1) return false;
		this.members.splice(place, 1);
		return true;
	}

	/** Refuses the requests that wait for a turn, where there is a reason to. */
	refuse(reasonFor: (request: PacedRequest) => Error | undefined): void {
		for (const { queue } of this.members) queue.refuse(reasonFor);
	}

	/**
	 * Takes the next request out.
	 *
	 * @param isByLevel whether the run whose first request is on the lowest level comes first, so that
	 *   what never gets through does not use up what others need
	 * @param suits which ones come into question
	 */
	next(
		isByLevel: boolean,
		suits?: (request: PacedRequest) => boolean,
	): { member: Member; waiting: Waiting<Turn> } | undefined {
		const byLevel = (a: Member, b: Member) => a.queue.level - b.queue.level;
		for (const member of isByLevel ? [...this.members].sort(byLevel) : this.members) {
			const waiting = member.queue.next(suits);
			if (waiting === undefined) continue;
			this.members.push(...this.members.splice(this.members.indexOf(member), 1));
			return { member, waiting };
		}
		return undefined;
	}

	/** A run that can read something once more. */
	get reader(): Member | undefined {
		return this.members.find(({ read, departure }) => read && !departure.signal.aborted);
	}
}
