import { DateTime, type DateTimeOptions } from 'luxon';

import { notValid, trimmed } from './userFacingError';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
/** Numbers count as times only in these years: others are IDs. Earlier dates stand for no date in databases. */
const FIRST_MS = Date.UTC(2000, 0);
const LAST_MS = Date.UTC(2101, 0);

/** A time in ISO 8601, or the same with a blank instead of the T, as databases write it; invalid for other text. */
export function fromIsoOrSql(text: string, options: DateTimeOptions): DateTime {
	const iso = DateTime.fromISO(text, options);
	return iso.isValid ? iso : DateTime.fromSQL(text, options);
}

/** ISO 8601, also as databases write it, or the date of an e-mail. */
function fromText(text: string, zone: string): DateTime {
	if (!ISO_DATE.test(text)) return DateTime.fromRFC2822(text, { setZone: true });
	const time = fromIsoOrSql(text, { zone, setZone: true });
	// Of an hour that comes twice, the first; Luxon takes the one of the season in which it is asked.
	return DateTime.min(time, ...time.getPossibleOffsets());
}

function toDateTime(value: unknown, zone: string): DateTime {
	if (typeof value === 'string') return fromText(trimmed(value), zone);
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	const times = typeof value === 'number' ? [value * 1000, value] : [];
	const time = times.find((each) => each >= FIRST_MS && each < LAST_MS);
	return DateTime.fromMillis(time ?? NaN, { zone });
}

/**
 * A deadline as the service requires it: ISO 8601 with offset (docs/dev/service-interface.md#instance). The
 * zone is for values without one, as the date picker's (docs/dev/n8n-engine.md#dates-in-expressions).
 */
export function parseDeadline(value: unknown, label: string, zone: string): string {
	const time = toDateTime(value, zone);
	const text = time.toISO({ suppressMilliseconds: true }) ?? '';
	if (ISO_DATE.test(text) && time.toMillis() >= FIRST_MS) return text;
	const advice =
		"Choose a date from the year 2000 on, or enter one in ISO format, e.g. 2026-07-01 or 2026-07-01T10:00:00. Without an offset, the workflow's time zone is used.";
	throw notValid(value, `'${label}'`, 'a date', advice);
}
