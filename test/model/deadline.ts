import { DateTime, IANAZone } from 'luxon';

import { EMPTY, INVALID, isEmpty, type Meaning, only, orInvalid, trimmed } from './meaning';

const MINUTE = 60_000;

/** The moments at which clocks in a zone show a time. If an hour comes twice, only the first one. */
function momentsIn(zone: string, local: number): Meaning<number> {
	if (!IANAZone.isValidZone(zone)) return INVALID;
	const offsetAt = (moment: number) => IANAZone.create(zone).offset(moment) * MINUTE;
	const around = [-36, -24, -12, 0, 12, 24, 36].map((hours) => local + hours * 60 * MINUTE);
	const moments = [...new Set(around.map(offsetAt))].map((offset) => local - offset);
	const shown = moments.filter((moment) => moment + offsetAt(moment) === local);
	// When clocks skip it, no clock shows it: it's refused, or read in one of the two ways.
	return shown.length > 0 ? only(Math.min(...shown)) : orInvalid(only(...moments));
}

/** The moments of a local time in a zone such as `+02:00`, `Z` or `Europe/Berlin`; abbreviations are invalid. */
function momentsAt(zone: string, local: number): Meaning<number> {
	if (/^(Z|UTC|GMT)$/i.test(zone)) return orInvalid(only(local), zone !== zone.toUpperCase());
	const offset = /^(UTC|GMT)?([+−-])(\d\d?)(?::?(\d\d))?$/.exec(zone);
	if (offset !== null) {
		const [, prefix, sign, hours = '', minutes = '0'] = offset;
		const size = Number(hours) * 60 + Number(minutes);
		if (Number(minutes) > 59 || size > 23 * 60) return INVALID;
		const isUsual = !prefix && sign !== '−' && hours.length === 2 && size <= 14 * 60;
		return orInvalid(only(local - (sign === '+' ? size : -size) * MINUTE), !isUsual);
	}
	if (!/^[A-Za-z_]+(\/[\w+-]+)+$/.test(zone)) return INVALID;
	return orInvalid(momentsIn(zone, local), !/^[A-Z]\w*(\/[A-Z][\w+-]*)+$/.test(zone));
}

/** A date and perhaps a time, a zone, and more in brackets. */
const ISO =
	/^(\d{4}-\d\d-\d\d)(?:(?:[Tt]| {1,2})(\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?))?(?: ?((?:UTC|GMT)?[+−-]\d\d?(?::?\d\d)?|(?!T\d)[A-Za-z][\w/+-]*))?((?: ?\[[^[\]]*\])*)$/;

/** The forms that the contract certainly covers. Everything else in ISO 8601 and RFC 9557 may be refused. */
const USUAL =
	/^20\d\d-\d\d-\d\d(?:(?:[Tt]| {1,2})(?!24)\d\d:\d\d(?::[\d.,]+)?(?:Z|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/+-]+\])?)?$/;

function isoMoment(
	[text, date, time = '00', zone, brackets = '']: string[],
	workflowZone: string,
): Meaning<number> {
	const local = DateTime.fromISO(`${date}T${time}`, { zone: 'utc' }).toMillis();
	if (Number.isNaN(local)) return INVALID;
	// In RFC 9557, `!` marks what must be understood, and there are keys besides zones.
	const all = [...brackets.matchAll(/\[!?([^\]]*)\]/g)].map(([, name = '']) => name);
	const names = all.filter((name) => !name.includes('='));
	const place = zone ?? names[0];
	const moments = place === undefined ? momentsIn(workflowZone, local) : momentsAt(place, local);
	const isOdd = names.some((name) => momentsAt(name, local).includes('invalid'));
	return orInvalid(moments, isOdd || !USUAL.test(text ?? ''));
}

/** Forms that the contract doesn't list: refused, or read by their own rules. */
function otherMoment(text: string, zone: string): Meaning<number> {
	const isWithOffset = /\d:\d\d(:\d\d)? (Z|GMT|UTC|(GMT|UTC)?[+-]\d\d:?\d\d( \([^)]*\))?)$/;
	const readings = [
		// Just a time would be one of today.
		...(/^\d{4}|^[+-]\d{6}/.test(text) ? [DateTime.fromISO(text, { zone })] : []),
		...['d MMM yyyy H:mm', 'd MMM yyyy H:mm:ss'].map((format) =>
			DateTime.fromFormat(text, format, { zone, locale: 'en' }),
		),
		...(/^[A-Z][a-z]{2},? /.test(text) && isWithOffset.test(text)
			? [DateTime.fromMillis(Date.parse(text))]
			: []),
	];
	const moment = readings.find(({ isValid }) => isValid);
	return moment ? orInvalid(only(moment.toMillis())) : INVALID;
}

/** A number counts as seconds or milliseconds if that is in the years 2000 to 2100. */
function momentOfNumber(number: number): Meaning<number> {
	const [from, to] = [Date.UTC(2000, 0), Date.UTC(2101, 0)];
	const moment = [number * 1000, number].find((time) => time >= from && time < to);
	if (moment === undefined) return INVALID;
	return orInvalid(only(moment), !Number.isInteger(number) || moment >= Date.UTC(2100, 0));
}

/** The moment that a deadline means, in milliseconds. */
export function deadline(value: unknown, workflowZone: string): Meaning<number> {
	if (isEmpty(value)) return EMPTY;
	if (typeof value === 'number') return momentOfNumber(value);
	if (typeof value !== 'string') return INVALID;
	const text = trimmed(value);
	// A comment in parentheses has no meaning.
	const iso = ISO.exec(text.replace(/ ?\([^)]*\)$/, ''));
	const moments = iso ? isoMoment([...iso], workflowZone) : otherMoment(text, workflowZone);
	const isNumber = /^\d+(\.\d+)?$/.test(text);
	const numbers = isNumber ? momentOfNumber(Number(text)) : [];
	const isSilent = isNumber || text !== value || /\)$/.test(text);
	return orInvalid([...moments, ...numbers], isSilent);
}

/** Whether what was sent is ISO 8601 with an offset, at the moment, to the millisecond. */
export function isMoment(sent: unknown, moment: unknown): boolean {
	const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
	if (typeof sent !== 'string' || !pattern.test(sent)) return false;
	return Math.abs(Date.parse(sent) - Number(moment)) <= 1;
}
