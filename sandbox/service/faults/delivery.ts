import type { ServerResponse } from 'node:http';
import type { AfterWorkAction, RespondAction } from './rules';
import type { Answer } from '../interface/answers';
import type { Exchange } from '../server/requestLog';

const JSON_TYPE = { 'content-type': 'application/json' };

function headFor({ headers, status, body }: Answer): Record<string, string> {
	if (status === 204 || status === 304) return headers;
	return { 'content-length': String(Buffer.byteLength(body)), ...headers };
}

/** Sends an answer as it is. */
export function send(response: ServerResponse, exchange: Exchange, answer: Answer): void {
	exchange.answered(answer.status);
	response.writeHead(answer.status, headFor(answer));
	response.end(answer.body);
}

function sendHalfThenDestroy(
	response: ServerResponse,
	exchange: Exchange,
	{ status, headers, body }: Answer,
): void {
	exchange.answered(status);
	const text = body === '' ? '{"detail": "cut off"}' : body;
	response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
	response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
}

function truncated(answer: Answer): Answer {
	const body = answer.body === '' ? '{"detail": ' : answer.body;
	const status = answer.status === 204 ? 200 : answer.status;
	const headers = { ...JSON_TYPE, ...answer.headers };
	return { status, headers, body: body.slice(0, Math.ceil(body.length / 2)) };
}

function responded({ status, headers = {}, body = '', contentType }: RespondAction): Answer {
	const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	const type = contentType ?? (body === '' ? undefined : 'application/json');
	const typeHeader = type === undefined ? {} : { 'content-type': type };
	return { status, headers: { ...typeHeader, ...Object.fromEntries(own) }, body };
}

/**
 * Misbehaves in place of a proper answer.
 *
 * @param work does what the request asks for; called by the actions that cut its answer
 */
export function misbehave(
	response: ServerResponse,
	exchange: Exchange,
	action: AfterWorkAction,
	work: () => Answer,
): void {
	switch (action.type) {
		case 'respond':
			return send(response, exchange, responded(action));
		case 'reset':
			response.destroy();
			return;
		case 'resetDuring':
			return sendHalfThenDestroy(response, exchange, work());
		case 'hang':
			return;
		case 'truncate':
			return send(response, exchange, truncated(work()));
		case 'redirect': {
			const headers = { location: action.location };
			return send(response, exchange, { status: action.status ?? 302, headers, body: '' });
		}
		case 'emptyBody':
			return send(response, exchange, {
				status: action.status ?? 200,
				headers: JSON_TYPE,
				body: '',
			});
	}
}
