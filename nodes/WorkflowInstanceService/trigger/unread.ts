import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import type { Reads } from './readInstances';
import type { Settings } from './settings';
import type { TriggerState } from './state';

const MOST_LISTED = 20;

function listed(ids: readonly number[]): string {
	return `${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ' …' : ''}`;
}

async function whyUnread(id: number, { errors }: Reads, run: PollRun): Promise<UserFacingError> {
	return errors.get(id) ?? (await run.connection.lastError(`instance ${id}`));
}

/**
 * Why a poll gives nothing: the first rejection, or else the last response to an instance.
 *
 * @param first of the instances, where nothing was sent
 */
export async function whyNothing(
	first: number,
	reads: Reads,
	run: PollRun,
): Promise<UserFacingError> {
	const [id = reads.sent[0] ?? first] = reads.errors.keys();
	return await whyUnread(id, reads, run);
}

/** Writes a line to n8n's log about the instances that could not be read, once a poll. */
export async function logUnread(
	reads: Reads,
	isSeen: (id: number) => boolean,
	run: PollRun,
): Promise<void> {
	const unread = [...new Set([...reads.errors.keys(), ...reads.sent])].filter((id) => !isSeen(id));
	const [first] = unread;
	if (first === undefined) return;
	const { message } = await whyUnread(first, reads, run);
	const count = unread.length === 1 ? '1 watched instance' : `${unread.length} watched instances`;
	run.connection.log('warn', `Could not read ${count} (${listed(unread)}): ${message}`);
}

/**
 * Rejects IDs that were typed in, don't exist and were never seen, where somebody can correct them.
 *
 * @throws UserFacingError with these IDs
 */
export function rejectMistyped(
	{ errors }: Reads,
	{ entries }: TriggerState,
	{ areTyped }: Settings,
): void {
	const unknown = [...errors].filter(([id, { isAbsent }]) => isAbsent && !entries.has(id));
	const [[, error] = []] = unknown;
	if (!areTyped || error === undefined) return;
	const { httpCode, words } = error;
	const ids = listed(unknown.map(([id]) => id));
	throw new UserFacingError(
		`'${instanceIds.displayName}' contains ${ids}, which the service did not find (${httpCode})${words ? `: ${words}` : ''}`,
		'Correct the IDs, or remove those that no longer exist.',
		{ httpCode },
	);
}
