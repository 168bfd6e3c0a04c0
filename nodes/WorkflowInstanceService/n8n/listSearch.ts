import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { systemClock } from '../api/clock';
import type { LineBounds } from '../api/pace/line';
import { RunStopped } from '../api/pace/runStopped';
import { Connection } from './connection';
import type { Service } from './forEachItem';
import { asUserFacingError, listError, logUnexpected, redacted } from './outputItems';
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
const OPEN_AGAIN = 'Open the list again later.';
const LIMITS: LineBounds = {
	maxConcurrentRequests: 1,
	maxRetries: 1,
	maxWait: LONGEST_WAIT_MS,
};

function openConnection(context: ILoadOptionsFunctions, form: Parameters): Connection {
	return new Connection(context, {
		clock: systemClock,
		sender: { continues: true, tryAgain: OPEN_AGAIN },
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
			throw listError(this.getNode(), redacted(error, connection.redact));
		} finally {
			done.abort();
			connection.leave();
		}
	};
}
