import { systemClock } from '../api/clock';
import { serviceTime } from '../api/response';
import { TOO_MANY_REQUESTS } from '../api/retryAfter';
import { instanceIn, readRequest } from '../instance/responses';
import { LONGEST_READ_MS, type Poll } from '../n8n/poll';
import { listIds } from '../values/text';
import { asUserFacingError, type UserFacingError, wholeMessage } from '../values/userFacingError';
import type { Observation } from './events';
import { instanceIds } from './settings';

/** Why an instance could not be checked. */
interface Failure {
	readonly id: number;
	readonly error: UserFacingError;
	readonly wasRequested: boolean;
}

export type Reads = Awaited<ReturnType<typeof readInstances>>;

/** IDs in the order of their places, each of which is determined only once. */
function byPlace(ids: readonly number[], placeOf: (id: number) => number): number[] {
	const places = ids.map((id) => ({ id, place: placeOf(id) }));
	return places.sort((one, other) => one.place - other.place).map(({ id }) => id);
}

/**
 * Reads instances, first those that aren't in the queue yet, for as long as the poll may take, or until the key
 * is rejected. If `reportsNotFound` returns true, a 404 is an observation instead of an error.
 * @param onRead handles each as soon as it's read: hundreds of large responses may not fit into memory
 */
export async function readInstances(
	ids: readonly number[],
	poll: Poll,
	onRead: (observation: Observation) => void,
	queue: readonly number[] = [],
	reportsNotFound: (id: number) => boolean = () => false,
) {
	const idsInOrder = byPlace(ids, (id) => queue.indexOf(id));
	const requestedIds = new Set<number>();
	const failures: Failure[] = [];
	const service = await poll.service();
	const read = async (id: number) => {
		const onSend = () => void requestedIds.add(id);
		try {
			const response = await service.send({
				...readRequest(id),
				onSend,
				retriesFor: LONGEST_READ_MS,
			});
			const readAt = serviceTime(response) ?? systemClock.now();
			onRead({ id, instance: instanceIn(response, id), readAt });
		} catch (cause) {
			const error = asUserFacingError(cause);
			if (error.kind === 'notFound' && reportsNotFound(id))
				onRead({ id, instance: undefined, readAt: systemClock.now() });
			else failures.push({ id, error, wasRequested: requestedIds.has(id) });
		}
	};
	await poll.stopInTime(Promise.all(idsInOrder.map(read)));
	return { idsInOrder, failures };
}

/**
 * The queue for the next poll; empty if trying again later would change nothing. IDs that were not requested, or that
 * met a rate limit, come first. The others follow in random order, or a limit might always let the same ones through.
 */
export function nextQueue({ idsInOrder, failures }: Reads): number[] {
	if (!failures.some(({ error, wasRequested }) => error.isTemporary || !wasRequested)) return [];
	const goesFirst = ({ error, wasRequested }: Failure) =>
		!wasRequested || error.httpCode === String(TOO_MANY_REQUESTS);
	const first = new Set(failures.filter(goesFirst).map(({ id }) => id));
	return byPlace(idsInOrder, (id) => (first.has(id) ? -1 : systemClock.chance()));
}

const MOST_LISTED = 20;

/** Throws UserFacingError about IDs that don't exist, and didn't before. */
export function assertNotMistyped(
	{ failures }: Reads,
	previous: ReadonlyMap<number, unknown>,
): void {
	const mistyped = failures.filter(
		({ id, error }) => error.kind === 'notFound' && !previous.has(id),
	);
	const [first] = mistyped;
	if (first === undefined) return;
	const { httpCode, words } = first.error;
	const missing = mistyped.map(({ id }) => id);
	const ids = listIds(missing, MOST_LISTED);
	const happened = `'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})`;
	const advice = 'Correct the IDs, or remove those that no longer exist.';
	throw first.error.with({ message: words ? `${happened}: ${words}` : happened, advice });
}

/** In which order to report errors: first those that may pass by themselves, last what is gone. */
function rankOf({ kind, isTemporary }: UserFacingError): number {
	if (isTemporary) return 0;
	return kind === 'notFound' ? 2 : 1;
}

/** Adds what to do about the error in a trigger. */
function withTriggerAdvice(error: UserFacingError): UserFacingError {
	const advice = `${error.advice} If it was deleted, remove its ID from '${instanceIds.displayName}'.`;
	return error.kind === 'notFound' ? error.with({ advice }) : error;
}

/** Instances that could not be checked for the same reason. */
interface Cause {
	readonly error: UserFacingError;
	readonly ids: number[];
}

function causesOf(failures: readonly Failure[]): Cause[] {
	const causes = new Map<string, Cause>();
	for (const { id, error } of failures) {
		// Without a status, errors are grouped by their words, whatever instance they are about.
		const key = `${error.httpCode ?? error.message.replace(/\d+/g, '')} ${error.kind === 'notFound'}`;
		const cause = causes.get(key) ?? { error: withTriggerAdvice(error), ids: [] };
		cause.ids.push(id);
		causes.set(key, cause);
	}
	return [...causes.values()].sort((one, other) => rankOf(one.error) - rankOf(other.error));
}

/** Logs which instances could not be checked, in a line for each cause. When none was read, throws the first. */
export function logOrThrowErrors({ idsInOrder, failures }: Reads, { connection }: Poll): void {
	const isAnyRead = failures.length < idsInOrder.length;
	// Instances that there was no time for are only a cause if there is no other.
	const otherFailures = failures.filter(
		({ error, wasRequested }) => wasRequested || error.kind !== 'stopped',
	);
	const causes = causesOf(isAnyRead || otherFailures.length > 0 ? otherFailures : failures);
	const [first] = causes;
	if (first === undefined) return;
	if (!isAnyRead) throw first.error;
	const waiting = failures.length - otherFailures.length;
	for (const cause of causes) {
		const { error, ids } = cause;
		const which = `${ids.length} of ${idsInOrder.length} watched instances`;
		const why = wholeMessage(connection.forDisplay(error));
		const isLast = cause === causes.at(-1);
		const rest = isLast && waiting > 0 ? ` There was no time to check ${waiting} more.` : '';
		const listed = listIds(ids, MOST_LISTED);
		connection.log('warn', `Could not check ${which} (${listed}): ${why}${rest}`);
	}
}
