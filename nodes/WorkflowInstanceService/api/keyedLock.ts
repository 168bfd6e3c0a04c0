import type { Clock } from './clock';

const LONGEST_CHECK_MS = 1_000;

/** Whoever has a lock, as those who wait for it see it. */
export interface Holder {
	/** Since when a request of it is in flight, in milliseconds since 1970; undefined when none is. */
	inFlightSince?: number;
}

/** Thrown when the holder's request has been in flight for longer than a waiter has patience. */
export class LockHeld extends Error {}

export interface Waiter {
	clock: Clock;
	/** How long a request of the holder may be in flight, in milliseconds. */
	patience: number;
	/** Throws when there is no reason to wait any longer. */
	assertGoing(): void;
}

class Lock {
	/** Ends when all tasks so far have ended. */
	tail?: Promise<unknown>;

	holder: Holder = {};
}

const locks = new Map<string, Lock>();

async function waitFor(lock: Lock, turn: Promise<unknown>, waiter: Waiter): Promise<void> {
	const { clock, patience } = waiter;
	const waiting = new AbortController();
	let isMyTurn = false;
	const myTurn = turn.then(() => (isMyTurn = true));
	try {
		for (;;) {
			await Promise.race([
				myTurn,
				clock.sleep(Math.min(patience, LONGEST_CHECK_MS), waiting.signal),
			]);
			// What became of the task before may have stopped the run, which is known a moment later.
			await clock.sleep(0);
			waiter.assertGoing();
			if (isMyTurn) return;
			const { inFlightSince = Infinity } = lock.holder;
			if (clock.now() - inFlightSince > patience) throw new LockHeld();
		}
	} finally {
		waiting.abort();
	}
}

/**
 * Runs a task as soon as all earlier ones of this process with the same key have ended, in the order
 * of the calls.
 *
 * The service knows no change of a part, so that an update reads the rest and sends it back: another
 * update of the same instance in between, from this run or from another one, would be undone.
 *
 * @throws LockHeld when the request of another task hangs for longer than the waiter has patience
 */
export async function withLock<T>(
	key: string,
	waiter: Waiter,
	task: (holder: Holder) => Promise<T>,
): Promise<T> {
	const lock = locks.get(key) ?? new Lock();
	locks.set(key, lock);
	const turn = lock.tail;
	const result = (async () => {
		if (turn !== undefined) await waitFor(lock, turn, waiter);
		lock.holder = {};
		return await task(lock.holder);
	})();
	const tail = Promise.allSettled([turn, result]);
	lock.tail = tail;
	try {
		return await result;
	} finally {
		void tail.then(() => lock.tail === tail && locks.delete(key));
	}
}

/** How many locks there are: none when nobody has one. */
export function lockCount(): number {
	return locks.size;
}
