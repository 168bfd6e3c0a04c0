import { DateTime } from 'luxon';

import { notExpected } from './userFacingError';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
/** Numbers from here on are seconds since 1970, as many services send them. */
const FIRST_SECONDS = 1e8;
/** Numbers from here on are milliseconds. */
const FIRST_MILLISECONDS = 1e11;
/** By how much clocks are turned back. */
const TURNED_BACK_BY = [{ minutes: 60 }, { minutes: 30 }];

/** Of an hour that comes twice, the first; Luxon takes the one of the season in which it is asked. */
function firstOfTwo(time: DateTime): DateTime {
	const before = TURNED_BACK_BY.map((change) => time.minus(change));
	return before.find(({ hour, minute }) => hour === time.hour && minute === time.minute) ?? time;
}

function fromNumber(value: number, zone: string): DateTime {
	if (value >= FIRST_MILLISECONDS) return DateTime.fromMillis(value, { zone });
	if (value >= FIRST_SECONDS) return DateTime.fromSeconds(value, { zone });
	return DateTime.invalid('too small');
}

/** ISO 8601, the same with a blank instead of the T, as databases write it, or the date of an e-mail. */
function fromText(value: string, zone: string): DateTime {
	const text = value.trim();
	if (!ISO_DATE.test(text)) return DateTime.fromRFC2822(text, { setZone: true });
	const iso = DateTime.fromISO(text, { zone, setZone: true });
	return firstOfTwo(iso.isValid ? iso : DateTime.fromSQL(text, { zone, setZone: true }));
}

function toDateTime(value: unknown, zone: string): DateTime {
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value === 'number') return fromNumber(value, zone);
	return typeof value === 'string' ? fromText(value, zone) : DateTime.invalid('no date');
}

/**
 * A deadline as the service requires it: ISO 8601 with offset (docs/dev/service-interface.md#instance).
 *
 * @param zone used where the value has none, as with the date picker; n8n turns a DateTime into text
 *   (docs/dev/n8n-engine.md#dates-in-expressions)
 */
export function parseDeadline(value: unknown, zone: string): string {
	const text = toDateTime(value, zone).toISO({ suppressMilliseconds: true }) ?? '';
	if (ISO_DATE.test(text)) return text;
	const advice =
		"Choose a date, or enter one in ISO format, e.g. 2026-07-01 or 2026-07-01T10:00:00. Without an offset, the workflow's time zone is used.";
	throw notExpected(value, "'Deadline'", 'a date', advice);
}
