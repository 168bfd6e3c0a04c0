import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import type { Service } from '../api/service';
import { createConnection } from './connection';
import type { ItemParameters } from './parameters';
import { httpOptions } from './requestOptions';

/** The values in the form of the node, as far as the editor knows those of expressions. */
export type Form = Pick<ItemParameters, 'get'>;

/** Nobody looks at an empty list for longer than this. */
const LONGEST_WAIT_MS = 10_000;

/** A list in the form. What there is to choose from is read in turn with the requests of executions. */
export function listSearch(
	find: (form: Form, service: Service) => Promise<INodeListSearchItems[]>,
) {
	return async function (this: ILoadOptionsFunctions, filter = '') {
		const get: ItemParameters['get'] = ({ name }) => this.getCurrentNodeParameter(name);
		const connection = createConnection(this, {
			adviceIfTemporary: 'Open the list again later.',
		});
		try {
			const { openService } = await connection.connect();
			const endsAt = systemClock.elapsed() + LONGEST_WAIT_MS;
			const http = () => ({
				...httpOptions({ get }),
				timeout: Math.max(1, endsAt - systemClock.elapsed()),
			});
			const service = openService(http, LONGEST_WAIT_MS);
			const items = await connection.stopAfter(LONGEST_WAIT_MS, find({ get }, service));
			const wanted = filter.trim().toLowerCase();
			const isWanted = ({ name, value }: INodeListSearchItems) =>
				`${name} ${value}`.toLowerCase().includes(wanted);
			return { results: items.filter(isWanted) };
		} catch (cause) {
			const error = connection.nodeError(cause);
			const { message, description } = error;
			// n8n shows only the message. It takes dashes and hyphens for the ends of sentences, and drops them. This one stays.
			error.message = `${message.replace(/\.?$/, '.')} ${description}`.replace(/[-–—]/g, '\u2011');
			error.description = null;
			throw error;
		} finally {
			connection.close();
		}
	};
}
