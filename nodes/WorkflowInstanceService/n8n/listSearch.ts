import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import type { Service } from '../api/service';
import { createConnection } from './connection';
import type { ItemParameters } from './parameters';
import { httpOptions } from './requestOptions';

/** The values in the node's form, including those of expressions, as far as the editor knows them. */
export type Form = Pick<ItemParameters, 'get'>;

/** Users don't wait longer than this for a list to fill. */
const LONGEST_WAIT_MS = 10_000;

/** A list in the form. Its requests take turns with those of executions. */
export function listSearch(
	find: (form: Form, service: Service, baseUrl: string) => Promise<INodeListSearchItems[]>,
) {
	return async function (this: ILoadOptionsFunctions, filter = '') {
		const get: ItemParameters['get'] = ({ name }) => this.getCurrentNodeParameter(name);
		const connection = createConnection(this, { adviceIfTemporary: 'Open the list again later.' });
		try {
			const { baseUrl, openService } = await connection.connect();
			const endsAt = systemClock.elapsed() + LONGEST_WAIT_MS;
			const http = () => ({
				...httpOptions({ get }),
				timeout: Math.max(1, endsAt - systemClock.elapsed()),
			});
			const service = openService(http, LONGEST_WAIT_MS);
			const items = await connection.stopAfter(LONGEST_WAIT_MS, find({ get }, service, baseUrl));
			const wanted = filter.trim().toLowerCase();
			const isWanted = ({ name, value }: INodeListSearchItems) =>
				`${name} ${value}`.toLowerCase().includes(wanted);
			return { results: items.filter(isWanted) };
		} catch (cause) {
			const error = connection.nodeError(cause);
			const { message, description } = error;
			// n8n shows only the message. It takes any dash but this one for the end of a sentence, and drops it.
			error.message = `${message.replace(/\.?$/, '.')} ${description}`.replace(/[-–—]/g, '\u2011');
			error.description = null;
			throw error;
		} finally {
			connection.close();
		}
	};
}
