import { systemClock } from '../api/clock';
import { serviceTime } from '../api/response';
import { TOO_MANY_REQUESTS } from '../api/retryAfter';
import { instanceIn, readRequest } from '../instance/responses';
import type { Poll } from '../n8n/poll';
import { listIds } from '../values/text';
import { asUserFacingError, type UserFacingError, wholeMessage } from '../values/userFacingError';
import type { Observation } from './events';
import { instanceIds } from './settings';

export type Reads = Awaited<ReturnType<typeof readInstances>>;

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
	const [watched, queued] = [new Set(ids), new Set(queue)];
	const idsInOrder = [
		...ids.filter((id) => !queued.has(id)),
		...[...queued].filter((id) => watched.has(id)),
	];
	/** The IDs for which a request was sent. */
	const requestedIds = new Set<number>();
	/** Why instances could not be checked. The others were. */
	const errors = new Map<number, UserFacingError>();
	const service = await poll.service();
	const observe = async (id: number): Promise<Observation> => {
		const onSend = () => void requestedIds.add(id);
		try {
			const response = await service.send({ ...readRequest(id), onSend });
			const readAt = serviceTime(response) ?? systemClock.now();
			return { id, instance: instanceIn(response, id), readAt };
		} catch (cause) {
			const error = asUserFacingError(cause);
			if (error.kind !== 'notFound' || !reportsNotFound(id)) throw error;
			return { id, instance: undefined, readAt: systemClock.now() };
		}
	};
	const read = async (id: number) => {
		try {
			onRead(await observe(id));
		} catch (cause) {
			errors.set(id, asUserFacingError(cause));
		}
	};
	await poll.stopInTime(Promise.all(idsInOrder.map(read)));
	return { idsInOrder, requestedIds, errors };
}

/**
 * The queue for the next poll; empty if trying again later would change nothing. IDs that were not requested, or that
 * met a rate limit, come first. The others follow in random order, or a limit might always let the same ones through.
 */
export function nextQueue({ idsInOrder, requestedIds, errors }: Reads): number[] {
	const mayPass = ([id, { isTemporary }]: [number, UserFacingError]) =>
		isTemporary || !requestedIds.has(id);
	if (![...errors].some(mayPass)) return [];
	const isLimited = (id: number) => errors.get(id)?.httpCode === String(TOO_MANY_REQUESTS);
	const front = new Set(idsInOrder.filter((id) => !requestedIds.has(id) || isLimited(id)));
	const others = idsInOrder.filter((id) => !front.has(id));
	const places = new Map(others.map((id) => [id, systemClock.chance()]));
	others.sort((one, other) => Number(places.get(one)) - Number(places.get(other)));
	return [...front, ...others];
}

const MOST_LISTED = 20;

/** Throws UserFacingError about IDs that don't exist, and didn't before. */
export function assertNotMistyped({ errors }: Reads, previous: ReadonlyMap<number, unknown>): void {
	const mistyped = [...errors].filter(([id, { kind }]) => kind === 'notFound' && !previous.has(id));
	const error = mistyped[0]?.[1];
	if (error === undefined) return;
	const { httpCode, words } = error;
	const missing = mistyped.map(([id]) => id);
	const ids = listIds(missing, MOST_LISTED);
	const happened = `'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})`;
	const advice = 'Correct the IDs, or remove those that no longer exist.';
	throw error.with({ message: words ? `${happened}: ${words}` : happened, advice });
}

/** In which order to report errors: first those that may pass by themselves, last what is gone. */
function rankOf({ kind, isTemporary }: UserFacingError): number {
	if (isTemporary) return 0;
	return kind === 'notFound' ? 2 : 1;
}

/** Adds what to do about the error in a trigger. */
function explained(error: UserFacingError): UserFacingError {
	const advice = `${error.advice} If it was deleted, remove its ID from '${instanceIds.displayName}'.`;
	return error.kind === 'notFound' ? error.with({ advice }) : error;
}

/** Instances that could not be checked for the same reason. */
interface Cause {
	readonly error: UserFacingError;
	readonly ids: number[];
}

function causesOf(errors: Iterable<readonly [number, UserFacingError]>): Cause[] {
	const causes = new Map<string, Cause>();
	for (const [id, error] of errors) {
		// Without a status, errors are grouped by their words, whatever instance they are about.
		const key = `${error.httpCode ?? error.message.replace(/\d+/g, '')} ${error.kind === 'notFound'}`;
		const cause = causes.get(key) ?? { error: explained(error), ids: [] };
		cause.ids.push(id);
		causes.set(key, cause);
	}
	return [...causes.values()].sort((one, other) => rankOf(one.error) - rankOf(other.error));
}

/** Logs which instances could not be checked, in a line for each cause. When none was read, throws the first. */
export function logOrThrowErrors(
	{ idsInOrder, requestedIds, errors }: Reads,
	{ connection }: Poll,
): void {
	const isAnyRead = errors.size < idsInOrder.length;
	// Instances that there was no time for are only a cause if there is no other.
	const known = [...errors].filter(([id, { kind }]) => requestedIds.has(id) || kind !== 'stopped');
	const causes = causesOf(isAnyRead || known.length > 0 ? known : errors);
	const [first] = causes;
	if (first === undefined) return;
	if (!isAnyRead) throw first.error;
	const waiting = errors.size - known.length;
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
