import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DateTime } from 'luxon';
import { type Document, OpenAPIBackend, type ValidationResult } from 'openapi-backend';
import { parse } from 'yaml';

import { isRecord } from '../guards';

type Property = { readOnly?: boolean; default?: unknown };
type Description = Document & {
	components: {
		schemas: Record<'Instance' | 'InstanceUpdate', { properties: Record<string, Property> }>;
	};
};

const description: Description = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8'));
const { Instance, InstanceUpdate } = description.components.schemas;

/** The names of all properties of an instance, by whether a client can set them. */
export const INSTANCE_FIELDS: Readonly<Record<'settable' | 'readOnly', readonly string[]>> = {
	settable: Object.keys(InstanceUpdate.properties),
	readOnly: Object.keys(Instance.properties).filter((name) => Instance.properties[name]?.readOnly),
};

/** What a client may set besides the process, each as it is when it isn't sent. */
export const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
	Object.entries(InstanceUpdate.properties)
		.filter(([name]) => name !== 'process')
		.map(([name, { default: value }]) => [name, value]),
);

/** The description, which routes and validates requests. Each schema is compiled at its first use. */
export const api = new OpenAPIBackend<Description>({
	definition: description,
	apiRoot: '/api',
	ignoreTrailingSlashes: false,
	strict: true,
	// Nothing is awaited, so that everything is there when `init` returns.
	quick: true,
	// Values of the query are always text: 'true' counts as a boolean.
	coerceTypes: true,
	ajvOpts: { allErrors: true, useDefaults: true },
	customizeAjv: (ajv) =>
		ajv
			.addFormat('uri', (text) => URL.canParse(text))
			.addFormat('date-time', (text) => DateTime.fromISO(text).isValid),
});
void api.init();

/** A request with its body as text. */
export interface ContractRequest {
	method: string;
	/** Path from `/api` on, as sent, with its query. */
	path: string;
	headers: Record<string, string | string[] | undefined>;
	body?: string;
}

/** A response to a request with this method and path. */
export interface ContractResponse {
	method: string;
	path: string;
	status: number;
	/** The value of the JSON body; undefined for none. */
	body?: unknown;
}

/** One point in which a message differs from the description. */
export interface Violation {
	/** Where, e.g. `['body', 'tags', '0']`. */
	at: string[];
	/** What is wrong there, e.g. `must be string`. */
	demand: string;
	/** Both together. */
	message: string;
}

const violation = (at: string[], demand: string): Violation => ({
	at,
	demand,
	message: `${at.join('.')}: ${demand}`,
});

/** Turns the reports of the schema validator into violations. A missing or extra key counts as the place. */
export function toViolations(
	reports: ValidationResult['errors'],
	root: string[] = [],
): Violation[] {
	return (reports ?? []).map(
		({ instancePath, params, message = 'does not follow the description' }) => {
			const key: unknown = params.missingProperty ?? params.additionalProperty;
			const path = instancePath.split('/').slice(1);
			const at = [...root, ...path, ...(typeof key === 'string' ? [key] : [])];
			if (at.length === 0) return violation(['body'], `is not JSON: ${message}`);
			return violation(at[0] === 'requestBody' ? ['body', ...at.slice(1)] : at, message);
		},
	);
}

/** Objects as such, so that the library fills in their defaults. Anything else as sent, for it to judge. */
export function parseBody(body: string | undefined): string | object | undefined {
	if (!body) return undefined;
	try {
		const value: unknown = JSON.parse(body);
		return typeof value === 'object' ? (value ?? body) : body;
	} catch {
		return body;
	}
}

const headerOf = (headers: ContractRequest['headers'], name: string): string =>
	String(Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '');

/** Whether a body is declared as JSON, or there is none. */
export const isDeclared = ({ headers, body }: ContractRequest): boolean =>
	!body || /^application\/json\s*(;|$)/i.test(headerOf(headers, 'content-type'));

/** Whether the ID in a path, if there is one, is plain decimal digits. */
export const hasPlainId = (path: string): boolean =>
	/^[^?]*\/instances\/(0|[1-9]\d*)\/(\?|$)/.test(path) || !/\/instances\/[^/?]+\/(\?|$)/.test(path);

/** What is wrong with the `process` of a body. */
function processViolations(body: unknown, baseUrl: string | undefined): Violation[] {
	if (baseUrl === undefined || !isRecord(body) || typeof body.process !== 'string') return [];
	const start = `${baseUrl}/processes/`;
	const isBelow = body.process.startsWith(start);
	if (isBelow && /^[1-9]\d*\/$/.test(body.process.slice(start.length))) return [];
	return [violation(['body', 'process'], `must be ${start}<id>/`)];
}

/**
 * Makes a judge of requests and responses out of `openapi.yaml`.
 *
 * @param baseUrl if given, `process` must be `{baseUrl}/processes/<id>/`; without a trailing slash
 */
export function createContract({ baseUrl }: { baseUrl?: string } = {}) {
	return {
		/** The points in which a request differs from the description; none if it conforms. */
		validateRequest(request: ContractRequest): Violation[] {
			const { method, path, headers } = request;
			const operation = api.matchOperation({ method, path, headers: {} });
			if (!operation || !hasPlainId(path)) {
				return [violation(['path'], `the interface has no ${method} ${path}`)];
			}
			const body = parseBody(request.body);
			const sent = { method, path, headers: { 'content-type': 'application/json' }, body };
			const isSigned = /^Api-Key \S+$/.test(headerOf(headers, 'authorization'));
			return [
				...(isSigned ? [] : [violation(['headers', 'authorization'], 'must be Api-Key <key>')]),
				...(isDeclared(request)
					? []
					: [violation(['headers', 'content-type'], 'must be application/json')]),
				...toViolations(api.validator.validateRequest(sent, operation).errors),
				...processViolations(body, baseUrl),
			];
		},
		/** The points in which a response differs from the description; none if it conforms. */
		validateResponse({ method, path, status, body }: ContractResponse): Violation[] {
			const operation = api.matchOperation({ method, path, headers: {} });
			const described = operation?.responses;
			if (!operation || !(described?.[status] ?? (status >= 400 && described?.['4XX']))) {
				return [violation(['status'], `${status} is not described`)];
			}
			const { errors } = api.validator.validateResponse(body ?? null, operation, status);
			return toViolations(errors, ['body']);
		},
	};
}
