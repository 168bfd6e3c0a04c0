import type { Reads } from './readInstances';

/** Whose turn it is in the next poll. */
export interface Turns {
	/** The IDs to begin with, when there was no time to check all. The others go on from the last one. */
	next: readonly number[];
	/** The IDs that held up others, in the order in which to ask for them again. */
	late: readonly number[];
}

/** What a read that holds up others comes to: no response, or one that asks to come later. */
const HELD_UP: ReadonlyArray<string | undefined> = [undefined, '503'];
/** Of so many IDs one is late, as long as there are others: so each has its turn. */
const ONE_LATE_IN = 5;

function split(ids: readonly number[], late: readonly number[]) {
	const [known, wasLate] = [new Set(ids), new Set(late)];
	return {
		late: late.filter((id) => known.has(id)),
		others: ids.filter((id) => !wasLate.has(id)),
	};
}

/**
 * IDs in the order in which to ask for them: first those that the poll before had no time for, and
 * those that held up others only now and then, and at the end.
 */
export function inTurn(ids: readonly number[], { next, late: heldUp }: Turns): number[] {
	const { late, others } = split(ids, heldUp);
	const start = Math.max(
		others.findIndex((id) => id === next.at(-1)),
		0,
	);
	const [known, rotated] = [new Set(others), [...others.slice(start), ...others]];
	const inOrder = new Set([...next.filter((id) => known.has(id)), ...rotated]);
	const places = [
		...[...inOrder].map((id, index) => ({ id, place: index + 1 })),
		...late.map((id, index) => ({ id, place: (index + 1) * (ONE_LATE_IN - 1) })),
	];
	return places.sort((a, b) => a.place - b.place).map(({ id }) => id);
}

/**
 * Whose turn it is after a poll.
 *
 * @param asked the IDs that it was to ask for, in their order
 * @param before which of them were late
 */
export function turnsAfter(
	asked: readonly number[],
	{ found, errors, open, waiting }: Reads,
	before: readonly number[],
): Turns {
	const { late, others } = split(asked, before);
	const isWaiting = (id: number) => waiting.includes(id);
	const isHanging = (id: number) => open.includes(id) && !isWaiting(id);
	const wasAsked = (id: number) => found.has(id) || errors.has(id) || open.includes(id);
	const last = Math.max(...others.map((id, index) => (wasAsked(id) ? index : -1)));
	const heldUp = [...errors].flatMap(([id, { httpCode }]) =>
		HELD_UP.includes(httpCode) ? id : [],
	);
	const stillLate = late.filter((id) => !wasAsked(id) || isWaiting(id));
	return {
		next: [...others.filter(isWaiting), ...others.slice(last + 1, last + 2)],
		late: [...stillLate, ...heldUp, ...[...late, ...others].filter(isHanging)],
	};
}
