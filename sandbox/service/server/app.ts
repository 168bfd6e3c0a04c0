import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxClock } from '../clock';
import { misbehave, send } from '../faults/delivery';
import type { FaultQueue } from '../faults/queue';
import type { FaultAction } from '../faults/rules';
import { detail, htmlNotFound } from '../interface/responses';
import type { ApiResponse } from '../interface/responses';
import type { SandboxControl } from './control';
import { controlRoutes } from './controlRoutes';
import type { ApiRequest, Exchange } from './exchange';
import { respond } from './operations';
import type { ApiContext } from './operations';
import type { RateLimiter } from './rateLimiter';
import type { RequestLog } from './requestLog';

/** What the application is made of. */
export interface AppParts {
	api: ApiContext;
	clock: SandboxClock;
	faults: FaultQueue;
	limiter: RateLimiter;
	log: RequestLog;
	control: SandboxControl;
}

const BODY_LIMIT = 16 * 1024 * 1024;

const isApiPath = (url: string): boolean => /^\/api(?:[/?]|$)/.test(url);

function toApiRequest({ raw }: FastifyRequest, body: string): ApiRequest {
	return { method: raw.method ?? '', url: raw.url ?? '', headers: raw.headers, body };
}

/** Fastify ignores the body of methods without one. Here it's read, so that it can be rejected. */
async function readBody({ raw, body }: FastifyRequest): Promise<string> {
	if (typeof body === 'string') return body;
	const length = raw.headers['content-length'] ?? '0';
	const isEmpty = length === '0' && raw.headers['transfer-encoding'] === undefined;
	return isEmpty ? '' : await text(raw);
}

const once = (work: () => ApiResponse): (() => ApiResponse) => {
	let done: ApiResponse | undefined;
	return () => (done ??= work());
};

async function act(
	{ raw }: FastifyReply,
	exchange: Exchange,
	clock: SandboxClock,
	action: FaultAction | undefined,
	work: () => ApiResponse,
): Promise<void> {
	if (!action || action.type === 'delay') return send(raw, exchange, work());
	if (action.type !== 'applyThen') return await misbehave(raw, exchange, clock, action, work);
	work();
	await misbehave(raw, exchange, clock, action.then, work);
}

async function handleApi(
	{ api, clock, faults, limiter }: AppParts,
	request: ApiRequest,
	reply: FastifyReply,
	exchange: Exchange,
): Promise<void> {
	const { latencyMs, rateLimit } = api.settings();
	const refusal = limiter.refusal(rateLimit);
	const action = refusal ? undefined : faults.take(request);
	exchange.entry.fault = refusal ? 'rateLimit' : (action?.type ?? null);
	const waitMs = latencyMs + (action?.type === 'delay' ? action.ms : 0);
	if (waitMs > 0) await clock.sleep(waitMs);
	const work = once(() => refusal ?? respond(api, request));
	await act(reply, exchange, clock, action, work);
}

function begin({ api, log }: AppParts, request: ApiRequest, { raw }: FastifyReply): Exchange {
	const authorized = request.headers.authorization === `Api-Key ${api.apiKey}`;
	const connection = new AbortController();
	raw.once('close', () => connection.abort());
	return log.start(request, authorized, isApiPath(request.url), connection.signal);
}

async function handle(parts: AppParts, raw: FastifyRequest, reply: FastifyReply): Promise<void> {
	const request = toApiRequest(raw, await readBody(raw));
	// Responses are written to the socket directly: what misbehaves must not be mended on its way.
	reply.hijack();
	const exchange = begin(parts, request, reply);
	if (!isApiPath(request.url)) return send(reply.raw, exchange, htmlNotFound());
	return await handleApi(parts, request, reply, exchange);
}

function refuseUnreadable(
	parts: AppParts,
	raw: FastifyRequest,
	reply: FastifyReply,
	status: number,
): void {
	reply.hijack();
	const request = toApiRequest(raw, '');
	const refusal = detail(status, 'The request could not be read.', { connection: 'close' });
	send(reply.raw, begin(parts, request, reply), refusal);
}

/** Builds the HTTP application: the interface at `/api`, its control at `/control`, else HTML 404. */
export function createApp(parts: AppParts): FastifyInstance {
	const onRequest = (request: FastifyRequest, reply: FastifyReply) => handle(parts, request, reply);
	const app = fastify({
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		// For the control: unknown keys are rejected, not dropped.
		ajv: {
			customOptions: {
				coerceTypes: false,
				discriminator: true,
				removeAdditional: false,
				strict: false,
				useDefaults: false,
			},
		},
		// A path that cannot be decoded is just a path that does not exist.
		frameworkErrors: (_error, request, reply) => {
			void onRequest(request, reply);
		},
	});
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) =>
		refuseUnreadable(parts, request, reply, error.statusCode ?? 500),
	);
	app.all('/*', onRequest);
	app.setNotFoundHandler(onRequest);
	app.register(controlRoutes, { prefix: '/control', control: parts.control });
	return app;
}
