import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { asObject } from '../values/json';
import { createConnection } from './connection';
import { parameterReader } from './parameters';
import { CREDENTIAL } from './transport';

/** Newer versions of n8n give up a poll after 45 seconds, and the next one may come after a minute. */
const LONGEST_POLL_MS = 35_000;
/** n8n tries an activation five times, and aborts it after 84 seconds with a message of its own. */
const LONGEST_ACTIVATION_MS = 12_000;
/** When n8n starts, other workflows start after it (docs/dev/n8n-engine.md#when-a-poll-comes). */
const LONGEST_UNATTENDED_MS = 3_000;
/** The time for a poll without a limit of n8n's: at an activation, and in versions that limit none. */
const UNLIMITED_MS = 300_000;
/** So that an instance that doesn't respond leaves time for others. */
const LONGEST_READ_MS = 10_000;
/** After this share of the time nothing more is sent; the rest is for responses that are on their way. */
const SENDING_SHARE = 6 / 7;
const MAX_WAIT_MS = 300_000;
/** Activations that nobody waits for: n8n has started, or has taken over from another main process. */
const UNATTENDED: readonly string[] = ['init', 'leadershipChange'];

/** The nodes that are being polled, and those whose activation is over, by their static data. */
const inProgress = new WeakSet<object>();
const active = new WeakSet<object>();

function longestPoll(isActivation: boolean, isUnattended: boolean): number {
	if (isUnattended) return LONGEST_UNATTENDED_MS;
	return isActivation ? LONGEST_ACTIVATION_MS : LONGEST_POLL_MS;
}

/** One poll of a trigger: what n8n says about it, and the service within its limits. */
export type Poll = ReturnType<typeof createPoll>;

function createPoll(context: IPollFunctions) {
	const startedAt = systemClock.elapsed();
	const staticData = context.getWorkflowStaticData('node');
	const isManual = context.getMode() === 'manual';
	// Not every supported version says how long a poll may take.
	const limit = context.getPollBudgetMs?.() ?? UNLIMITED_MS;
	// Whether an activation of the workflow waits for this poll (docs/dev/n8n-engine.md#when-a-poll-comes).
	const isActivation = !isManual && !active.has(staticData) && limit >= UNLIMITED_MS;
	const isUnattended = isActivation && UNATTENDED.includes(context.getActivationMode());
	const longest = Math.min(limit, longestPoll(isActivation, isUnattended));
	const remaining = (share = 1) => startedAt + longest * share - systemClock.elapsed();
	const http = () => ({ timeout: Math.min(Math.max(remaining(), 1), LONGEST_READ_MS) });
	const isPublishing = isActivation && !isUnattended;
	// After a test, or a failed activation, no poll comes.
	const later = isManual || isPublishing ? 'Try again later.' : 'The next check tries again.';
	const connection = createConnection(context, ({ advice, isTemporary }) =>
		isTemporary ? later : advice,
	);
	return {
		parameters: parameterReader(context, (name) => context.getNodeParameter(name, null))(0),
		connection,
		/** Whether it is a test in the editor, which has nothing to do with the polls on schedule. */
		isManual,
		/** Whether n8n saves the static data after this poll, even if it returns nothing. */
		isActivation,
		/** Whether n8n forgets what this poll doesn't have it save: the durable scheduler reads it for each poll. */
		isDurable: limit < UNLIMITED_MS,
		/** Whether nobody waits for this activation: n8n has started, or took over. An error would end the polling. */
		isUnattended,
		/** Whether somebody who publishes the workflow waits for it. */
		isPublishing,
		staticData,
		credentialId: asObject(asObject(context.getNode().credentials)[CREDENTIAL]).id,

		/** The service, within the limits of a poll. */
		open: async () => (await connection.open()).serviceWith(http, MAX_WAIT_MS),

		/** Waits for work, and stops sending requests when there is no time left for their responses. */
		inTime: async (work: Promise<unknown>) =>
			await connection.inTime(remaining(SENDING_SHARE), work),
	};
}

/** The `poll` of a node type. `check` returns the JSON of items, none to have the static data saved, or null. */
export function pollWith(check: (poll: Poll) => Promise<IDataObject[] | null>) {
	return async function (this: IPollFunctions) {
		const poll = createPoll(this);
		const { connection, isManual, isUnattended, staticData } = poll;
		const key = isManual ? poll : staticData;
		if (inProgress.has(key)) return null;
		inProgress.add(key);
		try {
			const items = await check(poll).catch((cause: unknown) => {
				const error = connection.nodeError(cause);
				if (!isUnattended) throw error;
				const message = `The first check failed. The trigger will check again on schedule: ${error.message}`;
				connection.log('error', message);
				return null;
			});
			active.add(key);
			return items && [items.map((json) => ({ json }))];
		} finally {
			connection.leave();
			inProgress.delete(key);
		}
	};
}
