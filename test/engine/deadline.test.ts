import type { IDataObject } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { createNodeRunner, type NodeRunner } from '../harness';
import { bodies } from './support/instances';
import { useDatesOfExpressions } from './support/realm';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;

/** What is sent in each of `ZONES`; one text when the zone of the workflow makes no difference. */
type Sent = string | [utc: string, berlin: string, newYork: string];

const EPOCH: Sent = [
	'2026-07-01T10:00:00Z',
	'2026-07-01T12:00:00+02:00',
	'2026-07-01T06:00:00-04:00',
];

/** The same local time in each zone, in summer. */
const summer = (local: string): Sent => [`${local}Z`, `${local}+02:00`, `${local}-04:00`];

/** Values of an input item, as other nodes and services give them. */
const VALUES: Array<[value: string | number, sent: Sent]> = [
	// The picker, and ISO 8601 without an offset: the zone of the workflow is meant.
	['2026-07-01T10:00:00', summer('2026-07-01T10:00:00')],
	[
		'2026-01-15T08:30:00',
		['2026-01-15T08:30:00Z', '2026-01-15T08:30:00+01:00', '2026-01-15T08:30:00-05:00'],
	],
	['2026-07-01T10:00', summer('2026-07-01T10:00:00')],
	['2026-07-01T10:00:00.5', summer('2026-07-01T10:00:00.500')],
	['  2026-07-01T10:00:00\n', summer('2026-07-01T10:00:00')],
	['2026-07-01T24:00:00', summer('2026-07-02T00:00:00')],
	['2026-07-01', summer('2026-07-01T00:00:00')],
	[
		'2028-02-29',
		['2028-02-29T00:00:00Z', '2028-02-29T00:00:00+01:00', '2028-02-29T00:00:00-05:00'],
	],
	// With an offset: that is kept.
	['2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z'],
	['2026-07-01T10:00:00.000Z', '2026-07-01T10:00:00Z'],
	['2026-07-01T10:00:00.123Z', '2026-07-01T10:00:00.123Z'],
	['2026-07-01T10:00:00.123456+02:00', '2026-07-01T10:00:00.123+02:00'],
	['2026-07-01T10:00:00+05:30', '2026-07-01T10:00:00+05:30'],
	['2026-07-01T10:00:00-1130', '2026-07-01T10:00:00-11:30'],
	['2026-07-01T10:00+02', '2026-07-01T10:00:00+02:00'],
	['2026-07-01T10:00:00+02:00[Europe/Paris]', '2026-07-01T10:00:00+02:00'],
	['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
	// As databases write it.
	['2026-07-01 10:00:00', summer('2026-07-01T10:00:00')],
	['2026-07-01 10:00', summer('2026-07-01T10:00:00')],
	['2026-07-01 10:00:00.250', summer('2026-07-01T10:00:00.250')],
	['2026-07-01 10:00:00 +02:00', '2026-07-01T10:00:00+02:00'],
	['2026-07-01 10:00:00Z', '2026-07-01T10:00:00Z'],
	['2026-07-01 10:00:00 Asia/Kolkata', '2026-07-01T10:00:00+05:30'],
	// As e-mails write it.
	['Wed, 01 Jul 2026 10:00:00 +0200', '2026-07-01T10:00:00+02:00'],
	['1 Jul 2026 10:00 GMT', '2026-07-01T10:00:00Z'],
	['Wed, 01 Jul 2026 10:00:00 EST', '2026-07-01T10:00:00-05:00'],
	// The time since 1970, in milliseconds and in seconds.
	[1_782_900_000_000, EPOCH],
	[1_782_900_000, EPOCH],
	[
		1_782_900_000_250,
		['2026-07-01T10:00:00.250Z', '2026-07-01T12:00:00.250+02:00', '2026-07-01T06:00:00.250-04:00'],
	],
	// Clocks go forward at 2:00, in Berlin on the first day, in New York on the second.
	[
		'2026-03-29T02:30:00',
		['2026-03-29T02:30:00Z', '2026-03-29T03:30:00+02:00', '2026-03-29T02:30:00-04:00'],
	],
	[
		'2026-03-08T02:30:00',
		['2026-03-08T02:30:00Z', '2026-03-08T02:30:00+01:00', '2026-03-08T03:30:00-04:00'],
	],
	// Clocks go back: the hour before and after that which happens twice.
	[
		'2026-10-25T01:59:59',
		['2026-10-25T01:59:59Z', '2026-10-25T01:59:59+02:00', '2026-10-25T01:59:59-04:00'],
	],
	[
		'2026-10-25T03:00:00',
		['2026-10-25T03:00:00Z', '2026-10-25T03:00:00+01:00', '2026-10-25T03:00:00-04:00'],
	],
];

/**
 * Expressions that give objects, which differ between n8n's expression engines
 * (docs/n8n-engine.md#dates-in-expressions).
 */
const EXPRESSIONS: Array<[expression: string, sent: Sent]> = [
	["DateTime.fromISO('2026-07-01T10:00:00')", summer('2026-07-01T10:00:00')],
	["DateTime.fromISO('2026-07-01T10:00:00Z')", EPOCH],
	["DateTime.fromISO('2026-07-01T10:00:00Z').toUTC()", '2026-07-01T10:00:00Z'],
	["DateTime.fromISO('2026-07-01T10:00:00+05:30', { setZone: true })", '2026-07-01T10:00:00+05:30'],
	[
		"DateTime.fromISO('2026-07-01T10:00:00.123Z').toISO()",
		['2026-07-01T10:00:00.123Z', '2026-07-01T12:00:00.123+02:00', '2026-07-01T06:00:00.123-04:00'],
	],
	["DateTime.fromISO('2026-07-01T10:00:00', { zone: 'Asia/Tokyo' })", '2026-07-01T10:00:00+09:00'],
	["DateTime.fromISO('2026-06-24T10:00:00').plus({ weeks: 1 })", summer('2026-07-01T10:00:00')],
	["DateTime.fromISO('2026-07-01T10:00:00').toFormat('yyyy-MM-dd')", summer('2026-07-01T00:00:00')],
	[
		'$now.set({ year: 2026, month: 7, day: 1, hour: 10, minute: 0, second: 0, millisecond: 0 })',
		summer('2026-07-01T10:00:00'),
	],
	['$today.set({ year: 2026, month: 7, day: 1 })', summer('2026-07-01T00:00:00')],
	["'2026-07-01T10:00:00'.toDateTime()", summer('2026-07-01T10:00:00')],
	["new Date('2026-07-01T10:00:00Z')", EPOCH],
	["new Date('2026-07-01T10:00:00Z').toISOString()", '2026-07-01T10:00:00Z'],
	["new Date('2026-07-01T10:00:00Z').getTime()", EPOCH],
	["DateTime.fromISO('2026-07-01T10:00:00Z').toMillis()", EPOCH],
];

const inZone = (sent: Sent, zone: number): string | undefined =>
	typeof sent === 'string' ? sent : sent[zone];

describe('Deadline', () => {
	useDatesOfExpressions();
	const sandbox = useSandbox();
	/** Updates as many new instances as there are items; gives the deadlines sent, by item. */
	const runners = new Map<string, NodeRunner>();
	beforeAll(async () => {
		for (const timezone of ZONES) {
			const options = { parameters: {}, onError: 'continueRegularOutput' as const, timezone };
			runners.set(timezone, await createNodeRunner(options));
		}
	});
	afterAll(async () => {
		for (const runner of runners.values()) await runner.close();
	});
	const run = async (deadline: string, items: IDataObject[], timezone: string = 'UTC') => {
		const ids = sandbox.control.addInstances(items.length);
		const result = await runners.get(timezone)?.run({
			parameters: {
				operation: 'update',
				instanceId: ID_OF_ITEM,
				unsetFields: 'reset',
				process: locator(SEED.processes.onboarding),
				updateFields: { deadline },
			},
			items: items.map((item, index) => ({ ...item, id: ids[index] })),
			credentials: sandbox.credentials,
		});
		expect(bodies(sandbox, 'PUT').every(({ deadline: sent }) => sent !== undefined)).toBe(true);
		const paths = sandbox.log().filter(({ method }) => method === 'PUT');
		const sent = new Map(
			paths.map(({ url, body }): [string, unknown] => [url, JSON.parse(body).deadline]),
		);
		return {
			outputs: result?.outputs ?? [],
			sent: ids.map((id) => sent.get(`/api/instances/${id}/`)),
		};
	};

	describe.each(ZONES.map((zone, index) => ({ zone, index })))('in $zone', ({ zone, index }) => {
		test('is sent as ISO 8601 with offset, whatever an item holds', async () => {
			const items = VALUES.map(([value]) => ({ value }));
			const { sent, outputs } = await run('={{ $json.value }}', items, zone);
			expect(Object.fromEntries(VALUES.map(([value], item) => [value, sent[item]]))).toEqual(
				Object.fromEntries(VALUES.map(([value, expected]) => [value, inZone(expected, index)])),
			);
			expect(outputs[0]?.map(({ json }) => json.deadline)).toEqual(sent);
		});

		test.each(EXPRESSIONS)('{{ %s }}', async (expression, expected) => {
			const { sent } = await run(`={{ ${expression} }}`, [{}], zone);
			expect(sent).toEqual([inZone(expected, index)]);
		});
	});

	test('in an hour that happens twice is sent as one of the two', async () => {
		const { sent } = await run('2026-10-25T02:30:00', [{}], 'Europe/Berlin');
		expect(sent[0]).toMatch(/^2026-10-25T02:30:00\+0[12]:00$/);
	});

	test('from now on is sent as this moment', async () => {
		const { sent } = await run('={{ $now.plus(7, "days") }}', [{}], 'Europe/Berlin');
		const week = 7 * 24 * 60 * 60 * 1000;
		expect(sent[0]).toMatch(/[+-]\d\d:\d\d$/);
		expect(Math.abs(Date.parse(String(sent[0])) - Date.now() - week)).toBeLessThan(
			60 * 60 * 1000 + 60_000,
		);
	});

	const REFUSED = [
		'2026-02-29',
		'2026-02-30T10:00:00Z',
		'2026-13-01',
		'2026-07-32',
		'2026-07-01T25:00:00',
		'2026-07-01T10:60:00Z',
		'2026-07-01T10:00:00+02:00x',
		'01.07.2026',
		'07/01/2026',
		'1 July 2026',
		'tomorrow',
		'10:00',
		'2026',
		'20260701',
		'null',
		'+010000-01-01T00:00:00Z',
		'2026-07-01, 2026-07-02',
		`2026-07-01${' '.repeat(500)}x`,
		0,
		-1_782_900_000,
		2026,
		46_204,
		1e20,
		1e300,
		true,
		false,
		[],
		['2026-07-01'],
		{},
		{ date: '2026-07-01' },
	];

	test('is refused when it is no date, one item at a time', async () => {
		const { sent, outputs } = await run(
			'={{ $json.value }}',
			REFUSED.map((value) => ({ value })),
		);
		expect(sent.every((deadline) => deadline === undefined)).toBe(true);
		expect(sandbox.requests()).toEqual([]);
		for (const [index, { json, pairedItem }] of outputs[0]?.entries() ?? []) {
			expect(pairedItem).toEqual({ item: index });
			expect(json.error).toMatch(
				/^(\S.* in 'Deadline' is not a date|'Deadline' (contains .*|is empty)) \[/,
			);
			expect(String(json.error).length).toBeLessThan(150);
		}
		expect(outputs[0]).toHaveLength(REFUSED.length);
	});

	test.each([
		'DateTime.fromISO("nope")',
		'DateTime.invalid("nope")',
		'new Date("nope")',
		'NaN',
		'1 / 0',
	])('{{ %s }} is refused', async (expression) => {
		const { outputs } = await run(`={{ ${expression} }}`, [{}]);
		expect(outputs[0]?.[0]?.json.error).toContain("'Deadline'");
		expect(sandbox.requests()).toEqual([]);
	});
});
