import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { asObject } from '../values/json';
import { createConnection } from './connection';
import { parameterReader } from './parameterReader';
import { CREDENTIAL } from './transport';

/** The longest time for a poll, by why n8n polls (docs/dev/n8n-engine.md#when-a-poll-comes). */
const LONGEST_MS = {
	/** A user tests the trigger in the editor, which has nothing to do with the polls on schedule. */
	test: 35_000,
	/** A user publishes the workflow. n8n tries five times, and gives up after 84 seconds with a message of its own. */
	publication: 12_000,
	/** n8n has started, or has taken over from another main process. An error would end polling. Other workflows wait. */
	start: 3_000,
	/** A scheduled poll. The next one may come after a minute. */
	schedule: 35_000,
	/** The same, by the durable scheduler, which reads the saved data for each poll. */
	durableSchedule: 35_000,
};
type PollReason = keyof typeof LONGEST_MS;

/** The budget that n8n reports unless the durable scheduler polls. Also used for versions that don't report one. */
const DEFAULT_BUDGET_MS = 300_000;
/** So that an instance that fails or doesn't respond leaves time for others, and doesn't delay their events. */
export const LONGEST_READ_MS = 10_000;
/** After this share of the time nothing more is sent; the rest is for responses that are on their way. */
const SENDING_SHARE = 6 / 7;
const MAX_WAIT_MS = 300_000;
/** The modes of activations that nobody waits for. */
const UNATTENDED = ['init', 'leadershipChange'];

/**
 * The contexts that are being polled, and those whose first poll since an activation is over. n8n uses one context for
 * an activation and all scheduled polls after it, even if it copies the static data.
 */
const inProgress = new WeakSet<IPollFunctions>();
const activated = new WeakSet<IPollFunctions>();

function reasonOf(context: IPollFunctions, budget: number): PollReason {
	if (context.getMode() === 'manual') return 'test';
	if (budget !== DEFAULT_BUDGET_MS) return 'durableSchedule';
	if (activated.has(context)) return 'schedule';
	return UNATTENDED.includes(context.getActivationMode()) ? 'start' : 'publication';
}

/** One poll of a trigger: what n8n says about it, and the service within its limits. */
export type Poll = ReturnType<typeof createPoll>;

function createPoll(context: IPollFunctions) {
	const startedAt = systemClock.elapsed();
	const staticData = context.getWorkflowStaticData('node');
	// Not every supported version says how long a poll may take.
	const budget = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const reason = reasonOf(context, budget);
	const longest = Math.min(budget, LONGEST_MS[reason]);
	const remaining = (share = 1) => startedAt + longest * share - systemClock.elapsed();
	const http = () => ({ timeout: Math.min(Math.max(remaining(), 1), LONGEST_READ_MS) });
	// No poll follows a test, or a publication that failed.
	const isOnlyPoll = reason === 'test' || reason === 'publication';
	const later = isOnlyPoll ? 'Try again later.' : 'The next check tries again.';
	const connection = createConnection(context, { adviceIfTemporary: later });
	return {
		parameters: parameterReader(context, (name) => context.getNodeParameter(name, null))(0),
		connection,
		reason,
		staticData,
		credentialId: asObject(asObject(context.getNode().credentials)[CREDENTIAL]).id,

		service: async () => (await connection.connect()).openService(http, MAX_WAIT_MS),

		/** Waits for work, and stops sending requests when there is no time left for their responses. */
		stopInTime: async (work: Promise<unknown>) =>
			await connection.stopAfter(remaining(SENDING_SHARE), work),
	};
}

/** The `poll` of a node type. `check` returns the JSON of items, or [] to have the static data saved, or null. */
export function pollWith(check: (poll: Poll) => Promise<IDataObject[] | null>) {
	return async function (this: IPollFunctions) {
		if (inProgress.has(this)) return null;
		const poll = createPoll(this);
		const { connection, reason } = poll;
		inProgress.add(this);
		try {
			const items = await check(poll).catch((cause: unknown) => {
				const error = connection.nodeError(cause);
				if (reason !== 'start') throw error;
				const message = `The first check failed. The trigger will check again on schedule: ${error.message}`;
				connection.log('error', message);
				return null;
			});
			activated.add(this);
			return items && [items.map((json) => ({ json }))];
		} finally {
			connection.close();
			inProgress.delete(this);
		}
	};
}
