import type { Flight } from './flights';
import type { PacedRequest, Suspicion } from './pacedRequest';

/** So many that got through show that a request which did not is alone with that. */
const FOLLOWERS = 5;
/** They come for so long at least, and no longer than this is between them. */
const COMPARED_MS = 250;
/** So many in a row look like a rate limit, until one was seen; then each of them does. */
const LOOKS_LIKE_LIMIT = 3;
/** How much a request that gets through takes off. */
const WEIGHT_OF_SUCCESS = 0.5;

interface Watched {
	/** The number of the last request that had begun when it was pushed back. */
	after: number;
	heardAt: number;
	/** How many that began later, one soon after another, got through, and when the last one did. */
	followers: number;
	lastAt: number;
	/** Whether the try counts already. */
	isCounted: boolean;
}

/**
 * Tells a rate limit, which pushes back whatever comes, from an instance that is pushed back whenever it
 * comes, by the requests of one method. Decisions only; no time passes in here.
 */
export class PushBackEvidence {
	private score = 0;

	/** What makes up the score, one request for each thing that was asked for. */
	private readonly row = new Map<unknown, PacedRequest>();

	private suspicion: Suspicion = { isOver: false };

	private readonly watched = new Map<PacedRequest, Watched>();

	/** @param isKnown whether the service has a limit */
	looksLikeLimit(isKnown: boolean): boolean {
		return this.score >= (isKnown ? 1 : LOOKS_LIKE_LIMIT);
	}

	/** Whether a retry is compared with what follows. */
	get watchesRetry(): boolean {
		for (const { pushBacks } of this.watched.keys()) if (pushBacks > 1) return true;
		return false;
	}

	/**
	 * Takes note of a push-back.
	 *
	 * @param begun how many requests have begun
	 * @param counts whether the try counts, unless a limit explains it
	 */
	pushedBack({ request, number }: Flight, begun: number, now: number, counts: boolean): void {
		if (counts) request.count();
		if (!request.isAlone) this.explain(number, request.key);
		this.watched.set(request, {
			after: begun,
			heardAt: now,
			followers: 0,
			lastAt: now,
			isCounted: counts,
		});
		if (request.isAlone || this.row.has(request.key)) return;
		this.row.set(request.key, request);
		this.score++;
	}

	/** Takes note of a request that got through. */
	gotThrough({ number, begunAt }: Flight, now: number): void {
		this.score = Math.max(0, this.score - WEIGHT_OF_SUCCESS);
		if (this.score === 0) this.row.clear();
		for (const [request, watched] of this.watched) {
			if (number <= watched.after) continue;
			if (begunAt - watched.lastAt > COMPARED_MS) this.watched.delete(request);
			else this.follow(request, watched, now);
		}
	}

	/** What looked like a limit was none. */
	dismiss(): void {
		for (const request of this.row.values()) request.suspect(this.suspicion);
		this.clear();
	}

	/** @returns the requests whose last try a limit explains */
	confirm(): PacedRequest[] {
		const explained = [...this.watched.keys()];
		this.explain(Infinity);
		this.clear();
		return explained;
	}

	/** No longer watches a request that got through. If it was alone, it was by a limit that others are, too. */
	forget(request: PacedRequest): void {
		this.watched.delete(request);
		if (!request.isAlone) return;
		this.suspicion.isOver = true;
		this.suspicion = { isOver: false };
	}

	private follow(request: PacedRequest, watched: Watched, now: number): void {
		watched.lastAt = now;
		if (++watched.followers < FOLLOWERS) return;
		request.suspect(this.suspicion);
		if (now - watched.heardAt < COMPARED_MS) return;
		this.watched.delete(request);
		if (request.pushBacks > 1 && !watched.isCounted) request.count();
	}

	private clear(): void {
		this.score = 0;
		this.row.clear();
	}

	/**
	 * What was pushed back before another one began that was pushed back as well shows nothing.
	 *
	 * @param key what the other one asks for
	 */
	private explain(number: number, key?: unknown): void {
		for (const [request, { after, isCounted }] of this.watched) {
			if (after >= number || request.key === key) continue;
			this.watched.delete(request);
			if (isCounted) request.discount();
		}
	}
}
