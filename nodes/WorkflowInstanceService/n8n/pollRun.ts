import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { NEXT_POLL } from '../api/waits';
import { asObject } from '../values/json';
import { createConnection, CREDENTIAL } from './connection';
import { parameterReader } from './parameters';

/** Newer versions of n8n give up a poll after 45 seconds, and the next one may come after a minute. */
const LONGEST_POLL_MS = 35_000;
/** n8n tries an activation five times, and aborts it after 84 seconds with a message of its own. */
const LONGEST_ACTIVATION_MS = 12_000;
/** What n8n grants where it sets no limit: at an activation, and unless polls have leases. */
const UNBOUND_MS = 300_000;
/** So that an instance that doesn't respond leaves time for others. */
const LONGEST_READ_MS = 10_000;
/** After this share of the time nothing more is sent; the rest is for responses that are on their way. */
const SENDING_SHARE = 6 / 7;
/** Activations that nobody waits for: n8n has started, or has taken over from another main process. */
const UNATTENDED: readonly string[] = ['init', 'leadershipChange'];
const MAX_WAIT_MS = 300_000;

/** By the static data of their node, the polls that are under way, and the nodes that a poll has activated. */
const underWay = new WeakSet<object>();
const activated = new WeakSet<object>();

export type PollRun = ReturnType<typeof createPollRun>;

function createPollRun(context: IPollFunctions) {
	const startedAt = systemClock.elapsed();
	const staticData = context.getWorkflowStaticData('node');
	const isManual = context.getMode() === 'manual';
	// Not every supported version says how long a poll may take.
	const granted = context.getPollBudgetMs?.() ?? UNBOUND_MS;
	// Whether an activation of the workflow waits for this poll (docs/dev/n8n-engine.md#when-a-poll-comes).
	const isActivation = !isManual && !activated.has(staticData) && granted >= UNBOUND_MS;
	const isUnattended = isActivation && UNATTENDED.includes(context.getActivationMode());
	const longest = Math.min(granted, isActivation ? LONGEST_ACTIVATION_MS : LONGEST_POLL_MS);
	const left = (share = 1) => startedAt + longest * share - systemClock.elapsed();
	const http = () => ({ timeout: Math.min(Math.max(left(), 1), LONGEST_READ_MS) });
	const connection = createConnection(context, ({ advice, isTemporary }) => [
		isTemporary ? NEXT_POLL : advice,
	]);
	return {
		parameters: parameterReader(context, (name) => context.getNodeParameter(name, null))(0),
		connection,
		isManual,
		/** Whether n8n would try this poll a few times within seconds, and then never poll again. */
		isUnattended,
		/** Whether somebody who publishes the workflow waits for it. */
		isPublishing: isActivation && !isUnattended,
		staticData,
		credentialId: asObject(asObject(context.getNode().credentials)[CREDENTIAL]).id,

		/** The service, within the limits of a poll. */
		open: async () => (await connection.open()).serviceWith(http, MAX_WAIT_MS),

		/** Waits for work, and stops sending requests when there is no time left for their responses. */
		inTime: async (work: Promise<unknown>) => await connection.inTime(left(SENDING_SHARE), work),
	};
}

/** The `poll` of a trigger, which throws only where somebody can be told. The operation returns json, or null. */
export function polling(operation: (run: PollRun) => Promise<IDataObject[] | null>) {
	return async function (this: IPollFunctions) {
		const run = createPollRun(this);
		const { connection } = run;
		// A manual run has nothing to do with the polls on schedule.
		const key = run.isManual ? run : run.staticData;
		if (underWay.has(key)) return null;
		underWay.add(key);
		const onFailure = (cause: unknown) => {
			const error = connection.nodeError(cause);
			if (!run.isUnattended) throw error;
			const message = `The first check failed. The trigger will check again on schedule: ${error.message}`;
			connection.log('error', message);
			return null;
		};
		try {
			const items = await operation(run).catch(onFailure);
			activated.add(key);
			return items && [items.map((json) => ({ json }))];
		} finally {
			connection.leave();
			underWay.delete(key);
		}
	};
}
