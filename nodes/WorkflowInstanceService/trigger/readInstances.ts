import type { ApiRequest } from '../api/apiRequest';
import { systemClock } from '../api/clock';
import { TOO_MANY_REQUESTS } from '../api/retryAfter';
import { readInstance } from '../instance/readInstance';
import type { PollRun } from '../n8n/pollRun';
import { asUserFacingError, type UserFacingError } from '../values/userFacingError';
import type { Observation } from './events';
import { instanceIds } from './settings';

type Reads = Awaited<ReturnType<typeof readInstances>>;

/**
 * Reads instances, first those that aren't in the queue yet, for as long as the poll may take, or until the key
 * is rejected. `isGone` tells whether it is an observation that the service doesn't find one.
 */
export async function readInstances(
	ids: readonly number[],
	run: PollRun,
	queue: readonly number[] = [],
	isGone: (id: number) => boolean = () => false,
) {
	const [watched, queued] = [new Set(ids), new Set(queue)];
	const order = [...ids.filter((id) => !queued.has(id)), ...queue.filter((id) => watched.has(id))];
	const sent = new Set<number>();
	const seen = new Map<number, Observation>();
	/** Why the others were not read. */
	const errors = new Map<number, UserFacingError>();
	const service = await run.open();
	const read = async (id: number) => {
		const onSend = () => void sent.add(id);
		const send = async (request: ApiRequest) => await service.send({ ...request, onSend });
		try {
			const { instance, serviceTime: at = systemClock.now() } = await readInstance({ send }, id);
			seen.set(id, { id, instance, at });
		} catch (cause) {
			const error = asUserFacingError(cause);
			const isObserved = error.kind === 'absent' && isGone(id);
			if (isObserved) seen.set(id, { id, instance: undefined, at: systemClock.now() });
			else errors.set(id, error);
		}
	};
	await run.inTime(Promise.all(order.map(read)));
	return { order, sent, seen, errors };
}

/**
 * The queue for the next poll; empty if all were read. What was asked for longest ago comes first. What was
 * sent after the last one that was read wasn't asked for: a limit let nothing more through, and would meet the
 * same ones each time. When none was read, only the status tells that it was a limit.
 */
export function nextQueue({ order, sent, seen, errors }: Reads): number[] {
	if (errors.size === 0) return [];
	const isLimited = (id: number) => errors.get(id)?.httpCode === String(TOO_MANY_REQUESTS);
	const requested = [...sent];
	const end = requested.findLastIndex((id) => seen.has(id)) + 1;
	const asked = new Set(
		end > 0 ? requested.slice(0, end) : requested.filter((id) => !isLimited(id)),
	);
	return [...order.filter((id) => !asked.has(id)), ...asked];
}

const MOST_LISTED = 20;

function listIds(ids: readonly number[]): string {
	return `${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ' …' : ''}`;
}

/** Rejects IDs that don't exist and were never seen. */
export function rejectMistyped({ errors }: Reads, stored: ReadonlyMap<number, unknown>): void {
	const unknown = [...errors].filter(([id, { kind }]) => kind === 'absent' && !stored.has(id));
	const [[, error] = []] = unknown;
	if (error === undefined) return;
	const { httpCode, words } = error;
	const ids = listIds(unknown.map(([id]) => id));
	const happened = `'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})`;
	const advice = 'Correct the IDs, or remove those that no longer exist.';
	throw error.with({ message: words ? `${happened}: ${words}` : happened, advice });
}

/** Logs which instances could not be read. When none could, throws why the first one couldn't. */
export function reportUnread({ order, sent, seen, errors }: Reads, { connection }: PollRun): void {
	const failed = [...sent].filter((id) => errors.has(id));
	// What was left for the next poll is worth a message only if nothing was read.
	const [error] = [...failed, ...(seen.size > 0 ? [] : order)].map((id) => errors.get(id));
	if (error === undefined) return;
	if (seen.size === 0) throw error;
	const what = `${failed.length} of ${order.length} watched instances (${listIds(failed)})`;
	connection.log('warn', `Could not read ${what}: ${error.message}`);
}
