import type { ServerResponse } from 'node:http';
import type { SandboxClock } from '../clock';
import type { ApiResponse } from '../interface/responses';
import type { Exchange } from '../server/exchange';
import type { AfterWorkAction, RespondAction } from './rules';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Takes note of the response and sends its head, with the time of the sandbox as its Date. */
function sendHead(
	response: ServerResponse,
	exchange: Exchange,
	{ status, headers, body }: ApiResponse,
): void {
	const date = new Date(exchange.responded(status)).toUTCString();
	const hasBody = status !== 204 && status !== 304;
	const length = hasBody ? { 'content-length': String(Buffer.byteLength(body)) } : {};
	response.writeHead(status, { date, ...length, ...headers });
}

/** Sends a response as it is. */
export function send(response: ServerResponse, exchange: Exchange, proper: ApiResponse): void {
	sendHead(response, exchange, proper);
	response.end(proper.body);
}

const firstHalf = (text: string): string => text.slice(0, Math.ceil(text.length / 2));

function sendHalfThenDestroy(
	response: ServerResponse,
	exchange: Exchange,
	proper: ApiResponse,
): void {
	const body = proper.body === '' ? '{"detail": "cut off"}' : proper.body;
	sendHead(response, exchange, { ...proper, body });
	response.write(firstHalf(body), () => response.destroy());
}

function truncated({ status, headers, body }: ApiResponse): ApiResponse {
	return {
		status: status === 204 ? 200 : status,
		headers: { ...JSON_TYPE, ...headers },
		body: firstHalf(body === '' ? '{"detail": ' : body),
	};
}

function responded({ status, headers = {}, body = '', contentType }: RespondAction): ApiResponse {
	const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	const type = contentType ?? (body === '' ? undefined : 'application/json');
	const typeHeader = type === undefined ? {} : { 'content-type': type };
	return { status, headers: { ...typeHeader, ...Object.fromEntries(own) }, body };
}

/**
 * Misbehaves in place of a proper response.
 *
 * @param work does what the request asks for; called by the actions that cut its response
 */
export async function misbehave(
	response: ServerResponse,
	exchange: Exchange,
	clock: SandboxClock,
	action: AfterWorkAction,
	work: () => ApiResponse,
): Promise<void> {
	switch (action.type) {
		case 'respond':
			return send(response, exchange, responded(action));
		case 'reset':
			response.destroy();
			return;
		case 'resetDuring':
			return sendHalfThenDestroy(response, exchange, work());
		case 'hang':
			return await clock.sleep(Infinity, exchange.closed);
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
