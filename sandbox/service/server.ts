import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { messageOf } from '../guards';
import type { SandboxClock } from './clock';
import type { ContractRequest } from './contract';
import type { ControlParts, SandboxControl } from './control';
import { type FaultAction, misbehave } from './faults';
import { respond, type Service } from './operations';
import type { Exchange } from './requestLog';
import { type ApiResponse, detail, json } from './response';

/** What the HTTP server is made of. */
export interface ServerParts extends ControlParts {
	service: Service;
	clock: SandboxClock;
	control: SandboxControl;
}

const HTML_NOT_FOUND: ApiResponse = {
	status: 404,
	headers: { 'content-type': 'text/html; charset=utf-8' },
	body:
		'<!doctype html>\n<html lang="en">\n<head><title>Page not found</title></head>\n' +
		'<body><h1>Page not found</h1><p>There is no page at this address.</p></body>\n</html>\n',
};

/** Calls a method of the control, with the arguments in the body. */
function callControl(control: SandboxControl, { method, path, headers, body }: ContractRequest) {
	const [, , name = ''] = path.split('/');
	if (!Object.keys(control).includes(name)) {
		const usage = 'POST /control/<method> with a JSON array of arguments';
		return json(name === '' ? 200 : 404, { usage, methods: Object.keys(control) });
	}
	// Web pages can send other types to this machine without being asked.
	if (method !== 'POST' || headers['content-type'] !== 'application/json') {
		return detail(415, 'Send a POST with the content type application/json.');
	}
	try {
		const values: unknown = JSON.parse(body || '[]');
		const result: unknown = Reflect.apply(
			Reflect.get(control, name),
			control,
			Array.isArray(values) ? values : [],
		);
		return json(200, { result });
	} catch (error) {
		return detail(400, messageOf(error));
	}
}

function send(response: ServerResponse, answer: ApiResponse, exchange?: Exchange): void {
	const { status, headers, body } = answer;
	const date = exchange && { date: new Date(exchange.responded(status)).toUTCString() };
	const hasBody = status !== 204 && status !== 304;
	const length = hasBody && { 'content-length': String(Buffer.byteLength(body)) };
	response.writeHead(status, { ...date, ...length, ...headers }).end(body);
}

/** Does the work or misbehaves, after the time that it takes. */
async function act(
	{ service, clock }: ServerParts,
	request: ContractRequest,
	action?: FaultAction,
) {
	const { latencyMs } = service.settings();
	const waitMs = latencyMs + (action?.type === 'delay' ? action.ms : 0);
	if (waitMs > 0) await clock.sleep(waitMs);
	if (!action || action.type === 'delay') return await respond(service, request);
	if (action.type !== 'applyThen') return misbehave(action);
	await respond(service, request);
	return misbehave(action.then);
}

async function handleApi(parts: ServerParts, request: ContractRequest, { entry }: Exchange) {
	const { service, clock, faults, limiter } = parts;
	const { latencyMs, rateLimit } = service.settings();
	const refusal = limiter.refusal(rateLimit);
	const action = refusal ? undefined : faults.take(request);
	entry.fault = refusal ? 'rateLimit' : (action?.type ?? null);
	if (!refusal) return await act(parts, request, action);
	if (latencyMs > 0) await clock.sleep(latencyMs);
	return refusal;
}

async function handle(parts: ServerParts, message: IncomingMessage, response: ServerResponse) {
	const { method = '', url: path = '', headers } = message;
	const request = { method, path, headers, body: await text(message) };
	if (/^\/control(\/|$)/.test(path)) {
		return send(response, callControl(parts.control, request));
	}
	const isApi = /^\/api(?:[/?]|$)/.test(path);
	const exchange = parts.log.begin(request, isApi);
	const connection = new AbortController();
	response.once('close', () => {
		exchange.closed();
		connection.abort();
	});
	const outcome = isApi ? await handleApi(parts, request, exchange) : HTML_NOT_FOUND;
	if (outcome === 'reset') response.destroy();
	else if (outcome === 'hang') await parts.clock.sleep(Infinity, connection.signal);
	else send(response, outcome, exchange);
}

/** Builds the HTTP server: the interface at `/api`, the control at `/control`, else HTML 404. */
export function createHttpServer(parts: ServerParts): Server {
	return createServer((message, response) => {
		handle(parts, message, response).catch((error: unknown) => {
			if (response.headersSent) response.destroy();
			else send(response, detail(500, messageOf(error)));
		});
	});
}
