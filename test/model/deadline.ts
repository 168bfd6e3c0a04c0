import { DateTime } from 'luxon';

import {
	either,
	EMPTY,
	INVALID,
	isEmptyCell,
	type Meaning,
	only,
	perhaps,
	trimmed,
} from './meaning';

const HOUR = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** How a zone shows a moment; undefined when there is no such zone. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
	if (!formats.has(zone)) {
		const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
		const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
		const options = { ...parts, ...time, timeZone: zone, hourCycle: 'h23', era: 'short' } as const;
		try {
			formats.set(zone, new Intl.DateTimeFormat('en-US', options));
		} catch {
			formats.set(zone, undefined);
		}
	}
	return formats.get(zone);
}

/** How far a zone is before UTC at a moment, in milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
	const parts = format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]);
	const { year, month, day, hour, minute, second } = Object.fromEntries(parts);
	return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** The moments at which clocks in a zone show a time: of an hour that comes twice, the first. */
function momentsIn(zone: string, local: number): Meaning<number> {
	const format = formatOf(zone);
	if (format === undefined) return INVALID;
	const around = [-36, -24, -12, 0, 12, 24, 36].map((hours) => local + hours * HOUR);
	const offsets = [...new Set(around.map((moment) => offsetAt(format, moment)))];
	const moments = offsets.map((offset) => local - offset);
	const shown = moments.filter((moment) => moment + offsetAt(format, moment) === local);
	// In the gap of a change no clock shows it: refused, or one of the two readings.
	if (shown.length === 0) return either<number>(INVALID, { values: moments });
	return only(Math.min(...shown));
}

/** What a text such as `+02:00`, `Z` or `Europe/Berlin` says a local time is in; no abbreviation. */
function momentsAt(zone: string, local: number): Meaning<number> {
	if (/^(Z|UTC|GMT)$/.test(zone)) return only(local);
	if (/^(z|utc|gmt)$/i.test(zone)) return perhaps(local);
	const offset = /^(UTC|GMT)?([+−-])(\d\d?)(?::?(\d\d))?$/.exec(zone);
	if (offset) {
		const [, prefix, sign, hours, minutes = '0'] = offset;
		const size = Number(hours) * HOUR + Number(minutes) * 60_000;
		if (Number(minutes) > 59) return INVALID;
		const moment = sign === '+' ? local - size : local + size;
		if (size > 23 * HOUR) return INVALID;
		const isUsual =
			prefix === undefined && sign !== '−' && hours?.length === 2 && size <= 14 * HOUR;
		return isUsual ? only(moment) : perhaps(moment);
	}
	if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(zone)) return INVALID;
	const isSpelled = /^[A-Z][A-Za-z_]*(\/[A-Z][A-Za-z0-9_+-]*)+$/.test(zone);
	return isSpelled ? momentsIn(zone, local) : either(momentsIn(zone, local), INVALID);
}

const ISO =
	/^(\d{4})-(\d\d)-(\d\d)(?:(?:[Tt]| {1,2})(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)?(?: ?((?:UTC|GMT)?[+−-]\d\d?(?::?\d\d)?|(?!T\d)[A-Za-z][\w/+-]*))?((?: ?\[[^[\]]*\])*)$/;

/** The time that the numbers of an ISO text say, as if in UTC; undefined when there is no such day or time. */
function localTime(parts: string[]): number | undefined {
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
	const isDay =
		month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
	const isTime = minute < 60 && (hour < 24 ? second <= 60 : hour === 24 && minute + second === 0);
	if (!isDay || !isTime) return undefined;
	return Date.UTC(
		year,
		month - 1,
		day,
		hour,
		minute,
		second,
		Math.floor(Number(`0.${parts[6]}`) * 1000),
	);
}

/** What ISO 8601 has and few write: midnight as 24:00, a leap second, times without colons or minutes. */
const isRare = ([, , , hour, minute, second]: Array<string | undefined>, text: string) =>
	hour === '24' ||
	second === '60' ||
	(hour !== undefined && (minute === undefined || /[Tt ]\d{4}/.test(text)));

/** A date and a time (or none) with a zone, zones in brackets, or nothing (then it is the workflow's). */
function isoMoment(match: RegExpExecArray, workflowZone: string): Meaning<number> {
	const parts = match.slice(1, 8);
	const local = localTime(parts.map((part) => part ?? '0'));
	if (local === undefined) return INVALID;
	const [text, zone] = [match[0], match[8]];
	// RFC 9557 marks what must be understood with `!`, and has keys besides zones.
	const all = [...(match[9] ?? '').matchAll(/\[!?([^\]]*)\]/g)].map(([, name]) => name ?? '');
	const bracketed = all.filter((name) => !name.includes('='));
	const [first] = bracketed;
	const isWorkflows = zone === undefined && first === undefined;
	const moments = isWorkflows
		? momentsIn(workflowZone, local)
		: momentsAt(zone ?? first ?? '', local);
	const isNamed =
		zone !== undefined &&
		/[A-Za-z]{2}/.test(zone) &&
		(first !== undefined || /\d[A-Za-z]{2}/.test(text));
	const isOdd = bracketed.some(
		(name) => zone !== undefined && (momentsAt(name, local).isRefused ?? false),
	);
	const isUnusual =
		bracketed.length > 1 ||
		all.length > bracketed.length ||
		text.includes('!') ||
		(match[4] === undefined && !isWorkflows) ||
		/[:\d] \S*[\d\]A-Za-z]$|\s\[/.test(text.slice(14)) ||
		!/^20/.test(text);
	return isNamed || isOdd || isUnusual || isRare(parts, text) ? either(moments, INVALID) : moments;
}

/** Forms that the contract does not list: refused, or what they say by the rules of their own. */
function lenient(text: string, zone: string): Meaning<number> {
	const iso = DateTime.fromISO(text, { zone });
	// A time alone would be one of today.
	if (/^\d{4}|^[+-]\d{6}/.test(text) && iso.isValid) return perhaps(iso.toMillis());
	const english = DateTime.fromFormat(text, 'd MMM yyyy H:mm', { zone, locale: 'en' });
	const withSeconds = DateTime.fromFormat(text, 'd MMM yyyy H:mm:ss', { zone, locale: 'en' });
	for (const date of [english, withSeconds]) if (date.isValid) return perhaps(date.toMillis());
	const isWithOffset = /\d:\d\d(:\d\d)? (Z|GMT|UTC|(GMT|UTC)?[+-]\d\d:?\d\d( \([^)]*\))?)$/.test(
		text,
	);
	if (/^[A-Z][a-z]{2},? /.test(text) && isWithOffset) return perhaps(Date.parse(text));
	return INVALID;
}

/** A number counts as seconds or milliseconds where that is in the years 2000 to 2100. */
function momentOfNumber(number: number): Meaning<number> {
	const from = Date.UTC(2000, 0);
	const to = Date.UTC(2101, 0);
	const moment = [number * 1000, number].find((time) => time >= from && time < to);
	if (moment === undefined) return INVALID;
	return Number.isInteger(number) && moment < Date.UTC(2100, 0) ? only(moment) : perhaps(moment);
}

/** The moment that a deadline means, in milliseconds. */
export function deadline(value: unknown, workflowZone: string): Meaning<number> {
	if (isEmptyCell(value)) return EMPTY;
	if (typeof value === 'number') return momentOfNumber(value);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	// A comment in parentheses says nothing.
	const match = ISO.exec(text.replace(/ ?\([^)]*\)$/, ''));
	const moment = match ? isoMoment(match, workflowZone) : lenient(text, workflowZone);
	if (/^\d+(\.\d+)?$/.test(text)) return either(moment, momentOfNumber(Number(text)), INVALID);
	return text === value && !text.endsWith(')') ? moment : either(moment, INVALID);
}

/** Whether what was sent is ISO 8601 with an offset, at the moment, to the millisecond. */
export function isMoment(sent: unknown, moment: number): boolean {
	const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
	if (typeof sent !== 'string' || !pattern.test(sent)) return false;
	return Math.abs(Date.parse(sent) - moment) <= 1;
}
