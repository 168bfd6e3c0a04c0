/** One point in which a message differs from the description. */
export interface Violation {
	where: 'method' | 'path' | 'query' | 'headers' | 'body' | 'status';
	/** Keys and positions from the part's root, such as `['tags', '0']`. */
	at: string[];
	/** The JSON Schema keyword, or `parse`, `mediaType`, `authorization`, `baseUrl`, `unknown`. */
	keyword: string;
	/** What the keyword demands, as the schema validator gives it. */
	params: Record<string, unknown>;
	/** Readable as it stands: `body.tags.0: must be string`. */
	message: string;
}

/** What a schema validator reports; the parts that matter here. */
export interface SchemaReport {
	instancePath?: string;
	keyword?: string;
	message?: string;
	params?: Record<string, unknown>;
}

/** Builds one violation; `demand` reads on from the place: `must be string`. */
export function violation(
	where: Violation['where'],
	at: string[],
	keyword: string,
	demand: string,
	params: Record<string, unknown> = {},
): Violation {
	return { where, at, keyword, params, message: `${[where, ...at].join('.')}: ${demand}` };
}

const unescapeSegment = (segment: string): string =>
	segment.replace(/~1/g, '/').replace(/~0/g, '~');

/** A missing or surplus key is reported at its parent; it is more readable at the key itself. */
function ownKey(params: Record<string, unknown>): string[] {
	const key = params.missingProperty ?? params.additionalProperty;
	return typeof key === 'string' ? [key] : [];
}

/** Turns the reports of a schema validator into violations of one part of a message. */
export function toViolations(
	where: Violation['where'],
	reports: readonly SchemaReport[] | null | undefined,
): Violation[] {
	return (reports ?? []).map((report) => {
		const params = report.params ?? {};
		const path = (report.instancePath ?? '').split('/').slice(1).map(unescapeSegment);
		const demand = report.message ?? 'does not follow the description';
		return violation(where, [...path, ...ownKey(params)], report.keyword ?? '', demand, params);
	});
}
