import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';

import { DateTime } from 'luxon';
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend';
import { parse } from 'yaml';

import type { SettableProperties, StoredInstance } from './instance';
import { toInstance } from './representation';
import { automaticName, findProcess } from './seed';
import type { InstanceStore } from './store';

/** A request, with its body as text, which may be empty. */
export interface ApiRequest {
	method: string;
	/** The path with the query, as sent. */
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface ApiResponse {
	status: number;
	headers: Record<string, string>;
	/** Empty for a response without a body. */
	body: string | Buffer;
}

export interface Service {
	store: InstanceStore;
	/** Without a slash at the end. */
	origin: string;
	apiKey: string;
}

type Properties = Record<string, { default?: unknown }>;
type Description = Document & {
	components: { schemas: Record<'Instance' | 'InstanceUpdate', { properties: Properties }> };
};

const text = readFileSync(join(__dirname, 'openapi.yaml'), 'utf8');
const description: Description = parse(text, { merge: true });
const { Instance, InstanceUpdate } = description.components.schemas;
const settable = Object.keys(InstanceUpdate.properties);

/** The names of all properties of an instance, grouped by whether a client can set them. */
export const INSTANCE_FIELDS: Readonly<Record<'settable' | 'readOnly', readonly string[]>> = {
	settable,
	readOnly: Object.keys(Instance.properties).filter((name) => !settable.includes(name)),
};

/** What a client may set besides the process, with the value that each has if it isn't sent. */
export const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
	settable
		.filter((name) => name !== 'process')
		.map((name) => [name, InstanceUpdate.properties[name]?.default]),
);

const json = (
	status: number,
	value: object,
	headers: Record<string, string> = {},
): ApiResponse => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: JSON.stringify(value),
});

/** A rejection that isn't about a single field. */
export const detail = (status: number, message: string, headers?: Record<string, string>) =>
	json(status, { detail: message }, headers);

const notFound = () => detail(404, 'Not found.');

function rejectKey({ request }: Context): ApiResponse {
	const { authorization } = request.headers;
	const message = authorization
		? 'Invalid API key.'
		: 'Authentication credentials were not provided.';
	return detail(401, message, { 'www-authenticate': 'Api-Key' });
}

/** Messages by field, each with the path within the field. */
function rejectRequest({ validation }: Context): ApiResponse {
	const messages = new Map<string, string[]>();
	for (const { instancePath, params, message = 'is invalid' } of validation.errors ?? []) {
		const [, , field, ...place] = instancePath.split('/');
		const key: unknown = field ?? params.missingProperty ?? params.additionalProperty;
		if (typeof key !== 'string') return detail(400, `The request is not as described: ${message}`);
		messages.set(key, [...(messages.get(key) ?? []), [...place, message].join(' ')]);
	}
	return json(400, Object.fromEntries(messages));
}

type Work = (context: Context, service: Service, stored: StoredInstance) => ApiResponse;

/** The operation on the instance in the path, if it exists. */
const onInstance =
	(work: Work) =>
	(context: Context, service: Service): ApiResponse => {
		const id = String(context.request.params.id);
		const stored = /^[1-9]\d*$/.test(id) ? service.store.find(Number(id)) : undefined;
		return stored ? work(context, service, stored) : notFound();
	};

/** Replaces all values. Rejects values that only the service can check. */
const updateInstance: Work = ({ request }, service, stored) => {
	const body: SettableProperties = { ...DEFAULTS, ...request.requestBody };
	const { process: uri, ...values } = body;
	const start = `${service.origin}/api/processes/`;
	if (!uri.startsWith(start)) return json(400, { process: [`must begin with ${start}`] });
	const process = findProcess(Number.parseInt(uri.slice(start.length), 10));
	if (!process) return json(400, { process: ['There is no such process.'] });
	if (process.automaticNaming) {
		if (values.name) return json(400, { name: ['The process has automatic naming enabled.'] });
		values.name = automaticName(process, stored.id, values.deadline);
	}
	return json(200, toInstance(service.store.replace(stored, process.id, values), service.origin));
};

/** IDs that don't exist are ignored. */
function deleteInstances({ request }: Context, { store }: Service): ApiResponse {
	store.remove(request.requestBody.ids);
	return { status: 204, headers: {}, body: '' };
}

/** Routes and validates requests. Each schema is compiled at its first use. */
export const api = new OpenAPIBackend<Description>({
	definition: description,
	apiRoot: '/api',
	ignoreTrailingSlashes: false,
	strict: true,
	// Nothing is awaited, so that everything is ready when `init` returns.
	quick: true,
	// Query values are always text, so 'true' counts as a boolean.
	coerceTypes: true,
	ajvOpts: { allErrors: true },
	customizeAjv: (ajv) =>
		ajv
			.addFormat('uri', (value) => URL.canParse(value))
			.addFormat('date-time', (value) => DateTime.fromISO(value).isValid),
	securityHandlers: {
		apiKey: ({ request }: Context, { apiKey }: Service) =>
			request.headers.authorization === `Api-Key ${apiKey}`,
	},
	handlers: {
		notFound,
		methodNotAllowed: ({ request }: Context) =>
			detail(405, `Method "${request.method.toUpperCase()}" not allowed.`),
		unauthorizedHandler: rejectKey,
		validationFail: rejectRequest,
		getInstance: onInstance(({ request: { query } }, service, stored) => {
			const injectValues = Boolean(query.inject_values);
			const stepsTimeFrame = Boolean(query.steps_time_frame);
			return json(200, toInstance(stored, service.origin, { injectValues, stepsTimeFrame }));
		}),
		updateInstance: onInstance(updateInstance),
		deleteInstances,
	},
});
void api.init();

/** Handles a request under `/api`. */
export async function respond(service: Service, request: ApiRequest): Promise<ApiResponse> {
	const { method, path, headers, body } = request;
	const type = headers['content-type'] ?? '';
	if (body !== '' && !/^application\/json\s*(;|$)/i.test(type)) {
		return detail(415, `Unsupported media type "${type}" in request.`);
	}
	const sent = { 'content-type': 'application/json', authorization: headers.authorization ?? '' };
	const requested = { method, path, headers: sent, body: body || undefined };
	const response: ApiResponse = await api.handleRequest(requested, service);
	return response;
}
