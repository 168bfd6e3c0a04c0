import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { misbehave, send } from '../faults/delivery';
import type { FaultQueue } from '../faults/queue';
import type { FaultAction } from '../faults/rules';
import { detail, htmlNotFound } from '../interface/answers';
import type { Answer } from '../interface/answers';
import type { SandboxControl } from './control';
import { controlRoutes } from './controlRoutes';
import { answerApi } from './operations';
import type { ApiContext, ApiRequest } from './operations';
import type { RateLimiter } from './rateLimiter';
import type { Exchange, RequestLog } from './requestLog';

/** What the application is made of. */
export interface AppParts {
	api: ApiContext;
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

/** Fastify reads no body for methods that should have none; here it has to be seen, to be refused. */
async function readBody({ raw, body }: FastifyRequest): Promise<string> {
	if (typeof body === 'string') return body;
	const length = raw.headers['content-length'] ?? '0';
	const isEmpty = length === '0' && raw.headers['transfer-encoding'] === undefined;
	return isEmpty ? '' : await text(raw);
}

const once = (work: () => Answer): (() => Answer) => {
	let done: Answer | undefined;
	return () => (done ??= work());
};

function act(
	reply: FastifyReply,
	exchange: Exchange,
	action: FaultAction | undefined,
	work: () => Answer,
): void {
	if (!action || action.type === 'delay') return send(reply.raw, exchange, work());
	if (action.type !== 'applyThen') return misbehave(reply.raw, exchange, action, work);
	work();
	misbehave(reply.raw, exchange, action.then, work);
}

async function handleApi(
	parts: AppParts,
	request: ApiRequest,
	reply: FastifyReply,
	exchange: Exchange,
): Promise<void> {
	const settings = parts.control.settings();
	const refusal = parts.limiter.refusal(settings.rateLimit);
	const action = refusal ? undefined : parts.faults.take(request);
	exchange.entry.fault = refusal ? 'rateLimit' : (action?.type ?? null);
	const waitMs = settings.latencyMs + (action?.type === 'delay' ? action.ms : 0);
	if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
	act(
		reply,
		exchange,
		action,
		once(() => refusal ?? answerApi(parts.api, request)),
	);
}

function begin(parts: AppParts, request: ApiRequest, reply: FastifyReply): Exchange {
	const authorized = request.headers.authorization === `Api-Key ${parts.api.apiKey}`;
	const exchange = parts.log.start(request, authorized, isApiPath(request.url));
	reply.raw.once('close', exchange.ended);
	return exchange;
}

async function handle(parts: AppParts, raw: FastifyRequest, reply: FastifyReply): Promise<void> {
	const request = toApiRequest(raw, await readBody(raw));
	// Answers are written to the socket directly: what misbehaves must not be mended on its way.
	reply.hijack();
	const exchange = begin(parts, request, reply);
	if (!isApiPath(request.url)) return send(reply.raw, exchange, htmlNotFound());
	return await handleApi(parts, request, reply, exchange);
}

function answerUnreadable(
	parts: AppParts,
	raw: FastifyRequest,
	reply: FastifyReply,
	status: number,
): void {
	reply.hijack();
	const request = toApiRequest(raw, '');
	const answer = detail(status, 'The request could not be read.', { connection: 'close' });
	send(reply.raw, begin(parts, request, reply), answer);
}

/** Builds the HTTP application: the interface at `/api`, its control at `/control`, else HTML 404. */
export function createApp(parts: AppParts): FastifyInstance {
	const onRequest = (request: FastifyRequest, reply: FastifyReply) => handle(parts, request, reply);
	const app = fastify({
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		// For the control: an unknown key is refused, not dropped.
		ajv: {
			customOptions: {
				coerceTypes: false,
				discriminator: true,
				removeAdditional: false,
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
		answerUnreadable(parts, request, reply, error.statusCode ?? 500),
	);
	app.all('/*', onRequest);
	app.setNotFoundHandler(onRequest);
	app.register(controlRoutes, { prefix: '/control', control: parts.control });
	return app;
}
