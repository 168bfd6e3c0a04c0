import type { CompiledDescription, CompiledOperation, Validate } from './compiledOperations';
import { isRecord } from '../guards';
import { headerOf, mediaTypeOf, readBody } from './messageParts';
import type { HeaderMap } from './messageParts';
import { toViolations, violation } from './violations';
import type { Violation } from './violations';

/** Checks one part of a message against its schema. */
export function schemaViolations(
	where: Violation['where'],
	validate: Validate,
	value: unknown,
): Violation[] {
	return validate(value) ? [] : toViolations(where, validate.errors);
}

function mediaTypeViolations(headers: HeaderMap, allowed: readonly string[]): Violation[] {
	const mediaType = mediaTypeOf(headers);
	if (allowed.includes(mediaType)) return [];
	const demand = `must be ${allowed.join(' or ')}, was '${mediaType}'`;
	return [violation('headers', ['content-type'], 'mediaType', demand, { mediaType })];
}

/**
 * Checks a body and its content type.
 *
 * @param schema undefined where the description has no body
 */
function contentViolations(
	sent: unknown,
	headers: HeaderMap,
	schema: Validate | undefined,
	allowed: readonly string[],
): Violation[] {
	const body = readBody(sent);
	if (!schema) return body.isPresent ? [violation('body', [], 'unknown', 'must be empty')] : [];
	if (!body.isPresent) return [violation('body', [], 'required', 'is missing')];
	const unreadable = body.violations;
	return [
		...mediaTypeViolations(headers, allowed),
		...(unreadable.length > 0 ? unreadable : schemaViolations('body', schema, body.value)),
	];
}

/** Checks that a request carries a key in the form of the interface. */
export function keyViolations(description: CompiledDescription, headers: HeaderMap): Violation[] {
	if (description.authorization.test(headerOf(headers, 'authorization') ?? '')) return [];
	return [violation('headers', ['authorization'], 'authorization', 'must be Api-Key <key>')];
}

/** Checks the body of a request. */
export function requestBodyViolations(
	compiled: CompiledOperation,
	sent: unknown,
	headers: HeaderMap,
): Violation[] {
	return contentViolations(sent, headers, compiled.body, compiled.bodyTypes);
}

/** Checks that the URI of the process lies below the base URL, when both are given. */
export function processViolations(body: unknown, baseUrl: string | undefined): Violation[] {
	if (baseUrl === undefined || !isRecord(body) || typeof body.process !== 'string') return [];
	const start = `${baseUrl}/processes/`;
	const isBelow = body.process.startsWith(start);
	if (isBelow && /^[1-9]\d*\/$/.test(body.process.slice(start.length))) return [];
	return [violation('body', ['process'], 'baseUrl', `must be ${start}<id>/`, { start })];
}

/** Checks the status and body of an answer. */
export function answerViolations(
	compiled: CompiledOperation,
	status: number,
	headers: HeaderMap,
	sent: unknown,
): Violation[] {
	const key = String(status);
	if (!compiled.responses.has(key)) {
		return [violation('status', [], 'unknown', `${status} is not described`)];
	}
	return contentViolations(sent, headers, compiled.responses.get(key), ['application/json']);
}
