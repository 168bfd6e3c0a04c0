import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { RequestLimits } from '../api/apiClient';
import { systemClock } from '../api/clock';
import { NEXT_POLL } from '../api/messages';
import { RunStopped } from '../api/runStopped';
import { UserFacingError } from '../values/userFacingError';
import { Connection } from './connection';
import type { Service } from './forEachItem';
import { asUserFacingError, logUnexpected } from './outputItems';
import type { Parameters } from './parameters';
import { requestOptions } from './requestOptions';

/** The values in the form of the node, as far as the editor knows those of expressions. */
export type Form = Pick<Parameters, 'get'>;

/** What n8n calls for a list in the form. */
export type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
) => Promise<INodeListSearchResult>;

/** Nobody looks at a list for longer than this before it has anything in it. */
const LONGEST_WAIT_MS = 10_000;
const LIMITS: RequestLimits = {
	maxConcurrentRequests: 1,
	maxRetries: 1,
	maxWait: LONGEST_WAIT_MS,
};

function openConnection(context: ILoadOptionsFunctions, form: Parameters): Connection {
	return new Connection(context, {
		clock: systemClock,
		sender: { continues: true, polls: true },
		http: () => ({ ...requestOptions(form).http, timeout: LONGEST_WAIT_MS }),
	});
}

/** The service, until the time of the list is up. */
function serviceIn(connection: Connection, timeIsUp: AbortSignal): Pick<Service, 'send'> {
	void systemClock.sleep(LONGEST_WAIT_MS, timeIsUp).then(() => connection.stop());
	return {
		async send(request) {
			const client = await connection.open();
			return await client.send(request, LIMITS).catch(async (cause: unknown) => {
				throw cause instanceof RunStopped ? await connection.lastError(request.subject) : cause;
			});
		},
	};
}

/** Why there is no list, and what to do: n8n shows nothing but the message. */
function wordsFor({ message, description }: UserFacingError): string {
	const advice = description === NEXT_POLL ? 'Open the list again later.' : description;
	return `${message.replace(/\.$/, '')}. ${advice}`;
}

function matching(items: INodeListSearchItems[], filter: string): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return items.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}

/**
 * A list in the form that is read from the service. What is read takes its turn among the runs.
 *
 * @param find gives all that there is to choose from
 */
export function listSearch(
	find: (form: Form, service: Pick<Service, 'send'>) => Promise<INodeListSearchItems[]>,
): ListSearch {
	return async function (filter = '') {
		const get: Parameters['get'] = ({ name }) => this.getCurrentNodeParameter(name);
		const form = { get, entered: get, timezone: this.getTimezone() };
		const connection = openConnection(this, form);
		const done = new AbortController();
		try {
			const items = await find(form, serviceIn(connection, done.signal));
			return { results: matching(items, filter) };
		} catch (cause) {
			const error = asUserFacingError(cause);
			logUnexpected([error], connection);
			const message = connection.redact(wordsFor(error));
			const shown = new NodeOperationError(this.getNode(), message);
			// n8n exchanges a message in which it finds a word like ECONNREFUSED.
			shown.message = message;
			throw shown;
		} finally {
			done.abort();
			connection.leave();
		}
	};
}
