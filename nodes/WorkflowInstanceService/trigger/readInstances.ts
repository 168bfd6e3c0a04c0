import type { ApiRequest } from '../api/apiRequest';
import { systemClock } from '../api/clock';
import { RunStopped } from '../api/waits';
import { readInstance } from '../instance/readInstance';
import { settle } from '../n8n/outputItems';
import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';
import { instanceIds } from './description';
import type { Observation } from './events';
import type { Settings } from './settings';
import type { Entries } from './staticData';

/** What came of reading instances. One that was neither seen nor has an error got no response in time. */
export type Reads = Awaited<ReturnType<typeof readInstances>>;

const UNAUTHORIZED = '401';
/** Far longer than a poll takes. */
export const LONGEST_WAIT_MS = 300_000;
const NO_ANSWER: ReadonlyArray<string | undefined> = [undefined, '429', '503'];

/**
 * Reads instances in their order, for as long as the poll may take, or until the key is rejected. `isGone`
 * tells whether it is an observation that the service doesn't find one.
 */
export async function readInstances(
	ids: readonly number[],
	run: PollRun,
	isGone: (id: number) => boolean = () => false,
) {
	const service = await run.connection.open(LONGEST_WAIT_MS);
	const seen = new Map<number, Observation>();
	const errors = new Map<number, UserFacingError>();
	/** In the order in which they were first sent. */
	const sent = new Set<number>();
	const read = async (id: number) => {
		const onSend = () => void sent.add(id);
		const send = (request: ApiRequest) => service.send({ ...request, onSend });
		const outcome = await settle(readInstance({ send }, id));
		if (outcome instanceof RunStopped) return;
		const now = systemClock.now();
		if (!(outcome instanceof UserFacingError)) {
			const { instance, serviceTime: at = now } = outcome;
			seen.set(id, { id, instance, at });
		} else if (outcome.isAbsent && isGone(id)) {
			seen.set(id, { id, instance: undefined, at: now });
		} else {
			errors.set(id, outcome);
			if (outcome.httpCode === UNAUTHORIZED) run.connection.stop();
		}
	};
	await run.inTime(Promise.all(ids.map(read)));
	/** Whether the service responded, and not that it has too much to do. */
	const isAnswered = (id: number) => seen.has(id) || !NO_ANSWER.includes(errors.get(id)?.httpCode);
	return { seen, errors, sent: [...sent], isAnswered };
}

const MOST_LISTED = 20;

function listed(ids: readonly number[]): string {
	return `${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ' …' : ''}`;
}

/** Rejects IDs that were typed in, don't exist and were never seen, where somebody can correct them. */
export function rejectMistyped({ errors }: Reads, entries: Entries, { areTyped }: Settings) {
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

/** Logs which instances could not be read. When none could, throws why the first one couldn't. */
export async function reportUnread(
	ids: readonly number[],
	{ errors, sent, seen }: Reads,
	{ connection }: PollRun,
): Promise<void> {
	const unread = [...new Set([...errors.keys(), ...sent])].filter((id) => !seen.has(id));
	const isNothingSeen = seen.size === 0;
	const [first] = isNothingSeen ? [...unread, ...ids] : unread;
	if (first === undefined) return;
	const error = errors.get(first) ?? (await connection.lastError(`instance ${first}`));
	if (isNothingSeen) throw error;
	const count = unread.length === 1 ? '1 watched instance' : `${unread.length} watched instances`;
	connection.log('warn', `Could not read ${count} (${listed(unread)}): ${error.message}`);
}
