import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../../engine/service';
import { type Answer, isWebPage, serviceWords } from '../../service/answer';
import { parseJson } from '../../values/json';
import { isObject } from '../../values/objects';
import { Trouble } from '../../values/trouble';
import { looksLikeInstance } from './output';

const LONGEST_EXCERPT = 120;

function whatCame(answer: Answer): string {
	if (answer.text.trim() === '') return 'it is empty';
	if (isWebPage(answer)) return serviceWords(answer);
	const text = answer.quotable();
	return `"${text.slice(0, LONGEST_EXCERPT)}${text.length > LONGEST_EXCERPT ? '…' : ''}"`;
}

/** What a 2xx answer means that does not come from this interface, or not whole. */
export function notThisInterface(answer: Answer, subject: string): Trouble {
	return new Trouble(
		`The answer about ${subject} is not what the service sends: ${whatCame(answer)}`,
		"Check the 'Base URL' of the credential: it ends in /api. If it is right, something in between changed the answer or cut it off; run this node again.",
		{ httpCode: String(answer.status), isUncertain: true },
	);
}

/** The instance in an answer, or undefined when the answer holds none. */
export function instanceIn(answer: Answer): IDataObject | undefined {
	const json = parseJson(answer.text);
	return isObject(json) && looksLikeInstance(json) ? json : undefined;
}

/**
 * Reads an instance (interface, section 4.1).
 *
 * @throws Trouble when the service refused, or answered something that is not an instance
 */
export async function readInstance(
	service: Service,
	id: number,
	query?: IDataObject,
): Promise<IDataObject> {
	const subject = `instance ${id}`;
	const answer = await service.send({ method: 'GET', path: `/instances/${id}/`, query, subject });
	const instance = instanceIn(answer);
	if (instance !== undefined) return instance;
	throw notThisInterface(answer, subject);
}
