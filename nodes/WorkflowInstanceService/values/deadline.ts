import { DateTime, type DateTimeOptions } from 'luxon';

import { describeValue, trimmed } from './text';
import { notValid, UserFacingError } from './userFacingError';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
const WHOLE_DATE = /^(\d{4}-\d{2}-\d{2})$/;
/** At most 14 hours ahead or 12 behind: `09:00-17:00` is a range, and so is `10:00-11:30`. */
const OFFSET = /^(?:([+-]0\d|\+1[0-4]):?(00|30|45)?|(-1[0-2])(?::?00)?)$/;
/** A date and time, also in the form of calendar files, then its zone, also in brackets, then keys as in RFC 9557. */
const PARTS =
	/^((?:\d{4}-\d{2}-\d{2}[\sT]+|\d{8}T)\d[\d:.,]*)\s*([+-][\d:]+|[a-z_]+(?:\/[\w+-]+)*)?(?:\[!?([\w+:/-]+)\])?(?:\[!?[\w-]+=[\w-]+\])*$/i;
/** Numbers only count as times in these years, since others may be IDs. In databases, earlier dates mean no date. */
export const FIRST_MS = Date.UTC(2000, 0);
const LAST_MS = Date.UTC(2101, 0);

/** A time in ISO 8601, or as in databases, with a blank instead of the T or before the zone; invalid for other text. */
export function fromIsoOrSql(text: string, options: DateTimeOptions): DateTime {
	const iso = text.replace(/^([\d-]+)\s+/, '$1T').replace(/\s*UTC$/i, 'Z');
	return DateTime.fromISO(iso.replace(/\s/g, ''), options);
}

/** Luxon's name for a zone. Luxon also accepts abbreviations, but for places that few people mean. */
function zoneFrom(zone: string, label: string): string {
	const [, hours, minutes = '00', farWest] = OFFSET.exec(zone) ?? [];
	if (hours !== undefined) return `UTC${hours}:${minutes}`;
	if (farWest !== undefined) return `UTC${farWest}:00`;
	if (/^(?:Z|UTC|GMT)$/i.test(zone)) return 'UTC';
	if (zone.includes('/') && DateTime.utc().setZone(zone).isValid) return zone;
	throw new UserFacingError(
		`${describeValue(zone)} in '${label}' is an ambiguous or unknown time zone`,
		'Use an offset, e.g. +02:00, UTC, or a name like Europe/London.',
	);
}

function fromText(text: string, label: string, workflowZone: string): DateTime {
	const [, local, offset, inBrackets] = PARTS.exec(text) ?? WHOLE_DATE.exec(text) ?? [];
	if (local === undefined || /^[ap]m$/i.test(offset ?? '')) return DateTime.invalid('unparsable');
	const inUtc = fromIsoOrSql(local, { zone: 'UTC' });
	// If this isn't a time, the word after it isn't a time zone. The offsets of early times contain seconds.
	if (!inUtc.isValid || inUtc.year < 1999) return DateTime.invalid('unparsable');
	const ownZone = offset ?? inBrackets;
	const zone = ownZone === undefined ? workflowZone : zoneFrom(ownZone, label);
	const time = inUtc.setZone(zone, { keepLocalTime: true });
	// If the hour comes twice, the first one. Luxon's own choice depends on the season in which it runs.
	return DateTime.min(time, ...time.getPossibleOffsets());
}

/** The time that a number means, in seconds or milliseconds since 1970; invalid for any other value. */
export function fromNumber(value: unknown, zone: string): DateTime {
	const times = typeof value === 'number' ? [value * 1000, value] : [];
	const time = times.find((each) => each >= FIRST_MS && each < LAST_MS);
	return DateTime.fromMillis(time ?? NaN, { zone });
}

const ADVICE =
	'Choose a date from the year 2000 on, or enter one in ISO format, e.g. 2026-07-01T10:00:00.';

/** Numbers for day, month and year, and maybe a time. */
const LOCAL_DATE =
	/^(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{4})(?:,? \d{1,2}:\d\d(?::\d\d)?(?: [ap]m)?)?$/i;

/** The formats that a date may have, the likeliest first. */
function formatsOf(text: string): [likeliest: string, other?: string] {
	if (/^\d{8}$/.test(text)) return ['yyyyMMdd'];
	if (!LOCAL_DATE.test(text)) return ['d.M.yyyy'];
	const hour = /m$/i.test(text) ? 'h' : 'H';
	const format = text
		.replace(/\d{4}/, 'yyyy')
		.replace(/^yyyy(.)\d+(.)\d+/, 'yyyy$1M$2d')
		.replace(/^\d+(.)\d+/, 'd$1M')
		.replace(/\d+:\d\d/, `${hour}:mm`)
		.replace(/:\d\d/, ':ss')
		.replace(/[ap]m$/i, 'a');
	// Only with dots, it's clear that the day comes first.
	const mayStartWithMonth = /^d[/-]/.test(format) && parseInt(text, 10) <= 12;
	return mayStartWithMonth ? [format.replace(/^d(.)M/, 'M$1d'), format] : [format];
}

function expressionFor(text: string): string {
	if (/^\d{5}(\.\d+)?$/.test(text))
		return "For a date from Excel or Google Sheets, use an expression, e.g. {{ $json['due'] > 0 ? DateTime.fromISO('1899-12-30', { zone: 'UTC' }).plus({ minutes: Math.round($json['due'] * 1440) }).toFormat('yyyy-MM-dd HH:mm') : $json['due'] }}.";
	if (/^[1-3]\d{9}(\d{3})?(\.\d+)?$/.test(text))
		return "For a timestamp as text, use an expression, e.g. {{ $json['due'] > 0 ? Number($json['due']) : $json['due'] }}.";
	const [format, other] = formatsOf(text);
	const expression = `{{ $json['due'] && DateTime.fromFormat(String($json['due']).trim(), '${format}') }}`;
	const exampleOf = (each: string) => DateTime.utc(2026, 12, 31, 17).toFormat(each);
	const orOther = other ? `, or with '${other}' for ${exampleOf(other)}` : '';
	return `For another format, use an expression, e.g. ${expression} for ${exampleOf(format)}${orOther}. If you already use one, check its format.`;
}

function adviceOnConversion(value: unknown): string {
	const text = trimmed(String(value)).replace(/^(["'])(.*)\1$/s, '$2');
	if (ISO_DATE.test(text)) return 'Check that the date exists, and what follows it.';
	return `${expressionFor(text)} Replace due with the name of your column.`;
}

/** Also one from an engine with a realm of its own, for which `instanceof` is false. */
function isDate(value: unknown): value is Date {
	return Object.prototype.toString.call(value) === '[object Date]';
}

function toDateTime(value: unknown, label: string, zone: string): DateTime {
	if (typeof value === 'string') return fromText(trimmed(value), label, zone);
	return isDate(value) ? DateTime.fromJSDate(value, { zone }) : fromNumber(value, zone);
}

/**
 * A deadline as the service requires it: ISO 8601 with offset (docs/dev/service-interface.md#instance). The
 * zone is for values without one, such as the date picker's (docs/dev/n8n-engine.md#dates-in-expressions).
 */
export function parseDeadline(value: unknown, label: string, zone: string): string {
	// Luxon reads these words as the zone of this process, but n8n doesn't.
	const ofWorkflow = /^(default|local|system)$/i.test(zone) ? `"${zone}"` : zone;
	const time = toDateTime(value, label, ofWorkflow);
	const text = time.toISO({ suppressMilliseconds: true }) ?? '';
	// Also if it's still 1999 in UTC.
	const isLateEnough = time.year >= 2000 || time.toMillis() >= FIRST_MS;
	if (ISO_DATE.test(text) && isLateEnough) return text;
	if (time.invalidReason === 'unsupported zone') {
		throw new UserFacingError(
			`The time zone of the workflow, ${describeValue(zone)}, does not exist`,
			'Choose another one in the settings of the workflow, or enter a time with an offset, e.g. +02:00.',
		);
	}
	const shown = isDate(value) ? String(value) : value;
	throw notValid(shown, `'${label}'`, 'a date', ADVICE, adviceOnConversion(shown));
}
