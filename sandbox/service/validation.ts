import { getCompiledDescription } from './compiledOperations';
import { matchOperation, matchViolations } from './matching';
import type { ContractMatch } from './matching';
import {
	answerViolations,
	keyViolations,
	processViolations,
	requestBodyViolations,
	schemaViolations,
} from './messageChecks';
import { readBody } from './messageParts';
import type { HeaderMap } from './messageParts';
import type { Violation } from './violations';

export type { ContractMatch, HeaderMap, Violation };

/** A request to be checked. */
export interface ContractRequest {
	/** HTTP method, in any case. */
	method: string;
	/** Path from `/api` on, as sent; may carry the query: `/api/instances/12/?inject_values=true`. */
	path: string;
	headers: HeaderMap;
	/** The query, unless `path` carries it: text or an object of text values. */
	query?: string | Record<string, string | string[]>;
	/** The body: text is taken as the JSON text sent, anything else as its value. */
	body?: unknown;
}

/** An answer to be checked. */
export interface ContractResponse {
	/** Method of the request that was answered. */
	method: string;
	/** Path of the request that was answered. */
	path: string;
	status: number;
	headers: HeaderMap;
	/** The body: text is taken as the JSON text answered; empty, null or undefined is no body. */
	body?: unknown;
}

/** A request with its parts as values. */
export interface CheckedRequest {
	match: ContractMatch;
	query: Record<string, unknown>;
	body: unknown;
	violations: Violation[];
}

/** The description as a judge of messages. All methods are synchronous and cheap. */
export interface Contract {
	/** Finds the operation; trailing slashes count. */
	match(method: string, path: string): ContractMatch;
	/** Checks a request and gives its parts. */
	checkRequest(request: ContractRequest): CheckedRequest;
	/** Gives the points in which a request differs from the description; none when it conforms. */
	validateRequest(request: ContractRequest): Violation[];
	/** Gives the points in which an answer differs from the description; none when it conforms. */
	validateResponse(response: ContractResponse): Violation[];
}

export interface ContractOptions {
	/** When given, `process` must lie below it: `{baseUrl}/processes/<id>/`. No trailing slash. */
	baseUrl?: string | (() => string);
}

/**
 * Makes a judge of requests and answers out of `openapi.yaml`. The description is compiled once
 * per process, so that further contracts cost nothing.
 *
 * @throws Error when the description cannot be read or compiled
 */
export function createContract(options: ContractOptions = {}): Contract {
	const description = getCompiledDescription();
	const baseUrl = () =>
		typeof options.baseUrl === 'function' ? options.baseUrl() : options.baseUrl;
	const match = (method: string, path: string) => matchOperation(description.router, method, path);

	const find = (found: ContractMatch) =>
		found.kind === 'operation' ? description.operations.get(found.operationId) : undefined;

	const checkRequest = (request: ContractRequest): CheckedRequest => {
		const found = match(request.method, request.path);
		const compiled = find(found);
		const body = readBody(request.body).value;
		if (!compiled) {
			const violations = matchViolations(found, request.method, request.path);
			return { match: found, query: {}, body, violations };
		}
		const query: Record<string, unknown> = {
			...description.router.parseRequestQuery({ ...request, headers: {} }),
		};
		const violations = [
			...keyViolations(description, request.headers),
			...schemaViolations('query', compiled.query, query),
			...requestBodyViolations(compiled, request.body, request.headers),
			...processViolations(body, baseUrl()),
		];
		return { match: found, query, body, violations };
	};

	const validateResponse = (response: ContractResponse): Violation[] => {
		const { method, path, status, headers } = response;
		const found = match(method, path);
		const compiled = find(found);
		if (!compiled) return matchViolations(found, method, path);
		return answerViolations(compiled, status, headers, response.body ?? undefined);
	};

	return {
		match,
		checkRequest,
		validateRequest: (request) => checkRequest(request).violations,
		validateResponse,
	};
}
