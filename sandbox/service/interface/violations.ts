import type { ValidationResult } from 'openapi-backend';

/** One point in which a message differs from the description. */
export interface Violation {
	/** The part of the message, then keys and positions from its root: `['body', 'tags', '0']`. */
	at: string[];
	/** The JSON Schema keyword, or one that the checks of the contract have added. */
	keyword: string;
	/** What the keyword requires, as returned by the schema validator. */
	params: Record<string, unknown>;
	/** The location and what is wrong there, e.g. `body.tags.0: must be string`. */
	message: string;
}

type SchemaReport = NonNullable<ValidationResult['errors']>[number];

/** Builds one violation; `demand` reads on from the place: `must be string`. */
export function violation(
	at: string[],
	keyword: string,
	demand: string,
	params: Record<string, unknown> = {},
): Violation {
	return { at, keyword, params, message: `${at.join('.')}: ${demand}` };
}

const unescapeSegment = (segment: string): string =>
	segment.replace(/~1/g, '/').replace(/~0/g, '~');

/** A missing or extra key is reported at its parent, but it's more readable at the key. */
function placeOf(path: string, params: SchemaReport['params']): string[] {
	const key: unknown = params.missingProperty ?? params.additionalProperty;
	const segments = path.split('/').slice(1).map(unescapeSegment);
	const [part = 'body', ...rest] = typeof key === 'string' ? [...segments, key] : segments;
	return [part === 'requestBody' ? 'body' : part, ...rest];
}

function toViolation(report: SchemaReport, root: string): Violation {
	const { instancePath, keyword, params, message = 'does not follow the description' } = report;
	return violation(placeOf(root + instancePath, params), keyword, message, params);
}

/**
 * Turns the reports of the schema validator into violations.
 *
 * @param root where the value that was validated lies, as a JSON pointer
 */
export function toViolations(reports: ValidationResult['errors'], root = ''): Violation[] {
	const reason = reports?.find(({ keyword }) => keyword === 'parse')?.message;
	if (reason !== undefined) {
		return [violation(['body'], 'parse', `is not JSON: ${reason}`, { reason })];
	}
	return (reports ?? []).map((report) => toViolation(report, root));
}
