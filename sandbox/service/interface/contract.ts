import type { Operation, ParsedRequest } from 'openapi-backend';
import { isRecord } from '../../guards';
import { compiledDescription } from './description';
import { toViolations, violation } from './violations';
import type { Violation } from './violations';

/** Header values by name in any case. */
export type HeaderMap = Record<string, string | string[] | undefined>;

/** A request to be checked. */
export interface ContractRequest {
	/** HTTP method, in any case. */
	method: string;
	/** Path from `/api` on, as sent, with its query: `/api/instances/12/?inject_values=true`. */
	path: string;
	headers: HeaderMap;
	/** The body as sent; empty or undefined for none. */
	body?: string;
}

/** A response to be checked. */
export interface ContractResponse {
	/** Method of the request. */
	method: string;
	/** Path of the request. */
	path: string;
	status: number;
	/** The value of the JSON body; undefined for none. */
	body?: unknown;
}

/** The operation that a request is for. */
export type ContractMatch =
	| { kind: 'operation'; operation: Operation }
	| { kind: 'wrongMethod'; allowed: string[] }
	| { kind: 'unknownPath' };

/** A request with its parts as values. */
export interface CheckedRequest {
	match: ContractMatch;
	/** The id in the path, if there is one. */
	id?: number;
	query: Record<string, unknown>;
	/** What was sent, with the defaults of what was left out; as described if nothing is violated. */
	body?: ParsedRequest['requestBody'];
	violations: Violation[];
}

/** The description as a judge of messages. All methods are synchronous and cheap. */
export interface Contract {
	/** Checks a request and takes it apart. */
	checkRequest(request: ContractRequest): CheckedRequest;
	/** The points in which a request differs from the description; none when it conforms. */
	validateRequest(request: ContractRequest): Violation[];
	/** The points in which a response differs from the description; none when it conforms. */
	validateResponse(response: ContractResponse): Violation[];
}

export interface ContractOptions {
	/** When given, `process` must lie below it: `{baseUrl}/processes/<id>/`. No trailing slash. */
	baseUrl?: string | (() => string);
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const JSON_TYPE = 'application/json';
const AUTHORIZATION = /^Api-Key \S+$/;
const ID_IN_PATH = /^[^?]*\/instances\/([^/?]+)\/(?:\?|$)/;
const CANONICAL_ID = /^(0|[1-9]\d*)$/;

const found = new Map<string, Operation>();

/** The library searches the whole description each time; what it found for one id holds for all. */
function findOperation(method: string, path: string): Operation | undefined {
	const key = `${method} ${path.split('?')[0]?.replace(/\/\d+\/$/, '/{id}/')}`;
	const operation =
		found.get(key) ?? compiledDescription().matchOperation({ method, path, headers: {} });
	// Only what exists is kept: unknown paths are without number.
	if (operation) found.set(key, operation);
	return operation;
}

/** Trailing slashes count, and only plain decimal digits are an id. */
function matchOperation(method: string, path: string): ContractMatch {
	const id = ID_IN_PATH.exec(path)?.[1];
	if (id !== undefined && !CANONICAL_ID.test(id)) return { kind: 'unknownPath' };
	const operation = findOperation(method, path);
	if (operation) return { kind: 'operation', operation };
	const allowed = METHODS.filter((candidate) => findOperation(candidate, path));
	return allowed.length > 0 ? { kind: 'wrongMethod', allowed } : { kind: 'unknownPath' };
}

function unmatched({ kind }: ContractMatch, method: string, path: string): Violation {
	return kind === 'unknownPath'
		? violation(['path'], 'unknown', `the interface has no path ${path}`)
		: violation(['method'], 'unknown', `${path} takes no ${method.toUpperCase()}`);
}

function headerOf(headers: HeaderMap, name: string): string {
	const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
	return String(entry?.[1] ?? '');
}

function keyViolations(headers: HeaderMap): Violation[] {
	if (AUTHORIZATION.test(headerOf(headers, 'authorization'))) return [];
	return [violation(['headers', 'authorization'], 'authorization', 'must be Api-Key <key>')];
}

/** What the library lets pass: a body that is not described, or not declared as JSON. */
function contentViolation({ requestBody }: Operation, headers: HeaderMap): Violation | undefined {
	if (!requestBody) return violation(['body'], 'surplus', 'must be empty');
	const mediaType = headerOf(headers, 'content-type').split(';')[0]?.trim().toLowerCase();
	if (mediaType === JSON_TYPE) return undefined;
	const demand = `must be ${JSON_TYPE}, was '${mediaType}'`;
	return violation(['headers', 'content-type'], 'mediaType', demand, { mediaType });
}

function processViolations(body: unknown, baseUrl: string | undefined): Violation[] {
	if (baseUrl === undefined || !isRecord(body) || typeof body.process !== 'string') return [];
	const start = `${baseUrl}/processes/`;
	const isBelow = body.process.startsWith(start);
	if (isBelow && /^[1-9]\d*\/$/.test(body.process.slice(start.length))) return [];
	return [violation(['body', 'process'], 'baseUrl', `must be ${start}<id>/`, { start })];
}

/** Objects as such: the library fills in their defaults. Anything else as sent, for it to judge. */
function parsed(body: string | undefined): string | object | undefined {
	if (!body) return undefined;
	try {
		const value: unknown = JSON.parse(body);
		return typeof value === 'object' ? (value ?? body) : body;
	} catch {
		return body;
	}
}

function checkRequest(request: ContractRequest, baseUrl: string | undefined): CheckedRequest {
	const { method, path, headers } = request;
	const match = matchOperation(method, path);
	if (match.kind !== 'operation') {
		return { match, query: {}, violations: [unmatched(match, method, path)] };
	}
	const { operation } = match;
	const { router, validator } = compiledDescription();
	const body = parsed(request.body);
	const sent = { method, path, headers: { 'content-type': JSON_TYPE }, body };
	const { errors, coerced = sent } = validator.validateRequest(sent, operation);
	const { params, query, requestBody } = router.parseRequest(coerced, operation);
	const ofContent = body === undefined ? undefined : contentViolation(operation, headers);
	return {
		match,
		id: params.id === undefined ? undefined : Number(params.id),
		query,
		body: requestBody,
		violations: [
			...keyViolations(headers),
			...(ofContent ? [ofContent] : toViolations(errors)),
			...processViolations(requestBody, baseUrl),
		],
	};
}

function validateResponse({ method, path, status, body }: ContractResponse): Violation[] {
	const match = matchOperation(method, path);
	if (match.kind !== 'operation') return [unmatched(match, method, path)];
	if (match.operation.responses?.[status] === undefined) {
		return [violation(['status'], 'unknown', `${status} is not described`)];
	}
	const { validator } = compiledDescription();
	const { errors } = validator.validateResponse(body ?? null, match.operation, status);
	return toViolations(errors, '/body');
}

/**
 * Makes a judge of requests and responses out of `openapi.yaml`.
 *
 * @throws Error when the description cannot be read or compiled
 */
export function createContract({ baseUrl }: ContractOptions = {}): Contract {
	const check = (request: ContractRequest) =>
		checkRequest(request, typeof baseUrl === 'function' ? baseUrl() : baseUrl);
	return {
		checkRequest: check,
		validateRequest: (request) => check(request).violations,
		validateResponse,
	};
}
