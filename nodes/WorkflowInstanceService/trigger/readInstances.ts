import { systemClock } from '../api/clock';
import { RunStopped, timeUpError } from '../api/waits';
import { readInstance } from '../instance/readInstance';
import { settle } from '../n8n/errorText';
import type { PollRun } from '../n8n/pollRun';
import { describeValue, UserFacingError } from '../values/userFacingError';
import { EVENTS, isUnreadableTime, type Observation } from './events';
import { instanceIds, type Settings } from './settings';

/** What came of reading instances. */
export type Reads = Awaited<ReturnType<typeof readInstances>>;

/**
 * Reads instances in their order, for as long as the poll may take, or until the key is rejected. `isGone`
 * tells whether it is an observation that the service doesn't find one.
 */
export async function readInstances(
	ids: readonly number[],
	run: PollRun,
	isGone: (id: number) => boolean = () => false,
) {
	const service = await run.open();
	const seen = new Map<number, Observation>();
	/** Why the others were not read. */
	const errors = new Map<number, UserFacingError>();
	const sent = new Set<number>();
	const read = async (id: number) => {
		const shouldSend = () => {
			sent.add(id);
			return true;
		};
		const outcome = await settle(
			readInstance({ send: (request) => service.send({ ...request, shouldSend }) }, id),
		);
		const now = systemClock.now();
		if (outcome instanceof RunStopped) {
			errors.set(id, timeUpError([id], outcome));
		} else if (!(outcome instanceof UserFacingError)) {
			const { instance, serviceTime: at = now } = outcome;
			seen.set(id, { id, instance, at });
		} else if (outcome.kind === 'absent' && isGone(id)) {
			seen.set(id, { id, instance: undefined, at: now });
		} else {
			errors.set(id, outcome);
			if (outcome.kind === 'key') run.connection.stop();
		}
	};
	await run.inTime(Promise.all(ids.map(read)));
	return { seen, errors, sent };
}

const MOST_LISTED = 20;

/** IDs as a message lists them. */
function listIds(ids: readonly number[]): string {
	return `${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ' …' : ''}`;
}

/** Rejects IDs that were typed in, don't exist and were never seen, where somebody can correct them. */
export function rejectMistyped(
	{ errors }: Reads,
	stored: ReadonlyMap<number, unknown>,
	{ areTyped }: Settings,
) {
	const unknown = [...errors].filter(([id, { kind }]) => kind === 'absent' && !stored.has(id));
	const [[, error] = []] = unknown;
	if (!areTyped || error === undefined) return;
	const { httpCode, words } = error;
	const ids = listIds(unknown.map(([id]) => id));
	throw new UserFacingError(
		`'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})${words ? `: ${words}` : ''}`,
		'Correct the IDs, or remove those that no longer exist.',
		{ httpCode },
	);
}

function watched(ids: readonly number[]): string {
	const count = ids.length === 1 ? '1 watched instance' : `${ids.length} watched instances`;
	return `${count} (${listIds(ids)})`;
}

/** Logs which instances could not be read. When none could, throws why the first one couldn't. */
export function reportUnread({ errors, sent, seen }: Reads, { connection }: PollRun): void {
	const failed = [...sent].filter((id) => errors.has(id));
	// What was left for the next poll is worth a message only if nothing was read.
	const unread = failed.length > 0 || seen.size > 0 ? failed : [...errors.keys()];
	const [error] = unread.map((id) => errors.get(id));
	if (error === undefined) return;
	if (seen.size === 0) throw error;
	connection.log('warn', `Could not read ${watched(failed)}: ${error.message}`);
}

/** Logs where there is something else in place of a time that decides whether an event has happened. */
export function reportUnreadableTimes(
	{ seen }: Reads,
	{ connection }: PollRun,
	{ events }: Settings,
): void {
	for (const field of new Set(events.flatMap((event) => EVENTS[event].times ?? []))) {
		const unreadable = [...seen.values()].filter(({ instance }) =>
			isUnreadableTime(instance?.[field]),
		);
		const [example] = unreadable;
		if (example === undefined) continue;
		const ids = unreadable.map(({ id }) => id);
		const value = describeValue(example.instance?.[field]);
		connection.log('warn', `'${field}' is not a date and time in ${watched(ids)}: ${value}`);
	}
}
