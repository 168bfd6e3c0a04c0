import type { Operation } from 'openapi-backend';
import type { OpenAPIRouter } from 'openapi-backend/router';
import { violation } from './violations';
import type { Violation } from './violations';

/** The operation that a request is for. */
export type ContractMatch =
	| { kind: 'operation'; operationId: string; id: number | undefined }
	| { kind: 'wrongMethod'; allowed: string[] }
	| { kind: 'unknownPath' };

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const INSTANCE_PATH = /^[^?]*\/instances\/([^/?]+)\/(?:\?|$)/;
const ID_IN_PATH = /\/\d+\/$/;
const CANONICAL_ID = /^(0|[1-9]\d*)$/;

const found = new WeakMap<OpenAPIRouter, Map<string, Operation>>();

/**
 * The router goes through the whole description for every request. All instances share an
 * operation, so that what was found for one id holds for the others.
 */
function findOperation(router: OpenAPIRouter, method: string, path: string): Operation | undefined {
	const known = found.get(router) ?? new Map<string, Operation>();
	const key = `${method} ${path.split('?')[0]?.replace(ID_IN_PATH, '/{id}/')}`;
	const operation = known.get(key) ?? router.matchOperation({ method, path, headers: {} });
	// Only what exists is kept: unknown paths are without number.
	if (operation) found.set(router, known.set(key, operation));
	return operation;
}

/**
 * Finds the operation for a method and a path (with or without a query). Trailing slashes count,
 * and an id that is not written in plain decimal digits makes the path unknown.
 */
export function matchOperation(router: OpenAPIRouter, method: string, path: string): ContractMatch {
	const id = INSTANCE_PATH.exec(path)?.[1];
	if (id !== undefined && !CANONICAL_ID.test(id)) return { kind: 'unknownPath' };
	const find = (candidate: string) => findOperation(router, candidate, path);
	const operation = find(method);
	if (operation) {
		const operationId = operation.operationId ?? '';
		return { kind: 'operation', operationId, id: id === undefined ? undefined : Number(id) };
	}
	const allowed = METHODS.filter(find);
	return allowed.length > 0 ? { kind: 'wrongMethod', allowed } : { kind: 'unknownPath' };
}

/** Says why there is no operation for a request; nothing when there is one. */
export function matchViolations(match: ContractMatch, method: string, path: string): Violation[] {
	if (match.kind === 'operation') return [];
	if (match.kind === 'unknownPath') {
		return [violation('path', [], 'unknown', `the interface has no path ${path}`)];
	}
	return [violation('method', [], 'unknown', `${path} takes no ${method.toUpperCase()}`)];
}
