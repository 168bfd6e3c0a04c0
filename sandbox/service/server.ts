import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { messageOf } from '../guards';
import { type ApiRequest, type ApiResponse, detail, respond } from './api';
import type { SandboxClock } from './clock';
import type { SandboxControl, SandboxParts } from './control';
import { misbehave } from './faults';

export interface ServerParts {
	sandbox: SandboxParts;
	control: SandboxControl;
	clock: SandboxClock;
}

const HTML_NOT_FOUND: ApiResponse = {
	status: 404,
	headers: { 'content-type': 'text/html; charset=utf-8' },
	body: '<!doctype html>\n<html lang="en"><head><title>Page not found</title></head></html>\n',
};

const THROTTLED = 'Request was throttled. Wait before sending the next one.';

/** Calls a method of the control, with the arguments in the body. */
function callControl(control: SandboxControl, { method, path, headers, body }: ApiRequest) {
	const [, , name = ''] = path.split('/');
	if (!Object.keys(control).includes(name)) {
		const usage = 'POST /control/<method> with a JSON array of arguments. Methods: ';
		return detail(name === '' ? 200 : 404, usage + Object.keys(control).join(', '));
	}
	// Web pages can send other content types to this machine without a preflight request.
	if (method !== 'POST' || headers['content-type'] !== 'application/json') {
		return detail(415, 'Send a POST with the content type application/json.');
	}
	const values: unknown = JSON.parse(body);
	const result: unknown = Reflect.apply(
		Reflect.get(control, name),
		control,
		Array.isArray(values) ? values : [],
	);
	return { status: 200, headers: {}, body: JSON.stringify({ result }) };
}

/** Does the work, or misbehaves, after the configured latency. */
async function handleApi({ sandbox, clock }: ServerParts, request: ApiRequest) {
	const { service, faults, limiter, latencyMs } = sandbox;
	const rejection = limiter?.rejection(clock.now(), request.method);
	const action = rejection ? undefined : faults.take(request);
	const waitMs = latencyMs + (action?.type === 'delay' ? action.ms : 0);
	if (waitMs > 0) await clock.sleep(waitMs);
	if (rejection) return detail(rejection.status, THROTTLED, rejection.headers);
	if (!action || action.type === 'delay') return await respond(service, request);
	if (action.type !== 'applyThen') return misbehave(action);
	await respond(service, request);
	return misbehave(action.then);
}

function send(response: ServerResponse, { status, headers, body }: ApiResponse, date?: number) {
	const now = date !== undefined && { date: new Date(date).toUTCString() };
	const hasBody = status !== 204 && status !== 304;
	const length = hasBody && { 'content-length': String(Buffer.byteLength(body)) };
	response.writeHead(status, { ...now, ...length, ...headers }).end(body);
}

async function handle(parts: ServerParts, message: IncomingMessage, response: ServerResponse) {
	const { method = '', url: path = '', headers } = message;
	const request = { method, path, headers, body: await text(message) };
	if (/^\/control(\/|$)/.test(path)) return send(response, callControl(parts.control, request));
	const noteEnd = parts.sandbox.log.record(request);
	const connection = new AbortController();
	response.once('close', () => {
		noteEnd();
		connection.abort();
	});
	const isApi = /^\/api(?:[/?]|$)/.test(path);
	const outcome = isApi ? await handleApi(parts, request) : HTML_NOT_FOUND;
	if (outcome === 'reset') response.destroy();
	else if (outcome === 'hang') await parts.clock.sleep(Infinity, connection.signal);
	else {
		noteEnd(outcome.status);
		send(response, outcome, parts.clock.now());
	}
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
