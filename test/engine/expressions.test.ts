import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import * as limiter from '../../nodes/WorkflowInstanceService/api/sharedLimiters';
import { SEED } from '../../sandbox/service';
import { createNodeRunner, type NodeRunner, type RunNodeOptions } from '../harness';
import { bodies, stored } from './support/instances';
import { useDatesOfExpressions } from './support/realm';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
const { run } = sandbox;

describe('An expression for a whole parameter', () => {
	const ID = SEED.fullyFilled;
	/** The expression where the form would hold a structure. */
	const whole = (code: string) => `={{ ${code} }}`;
	const update = async (parameters: INodeParameters) =>
		await run({ operation: 'update', instanceId: locator(ID), ...parameters });

	test('may give the instance or its link, but no other link', async () => {
		const { process, url } = stored(sandbox, ID);
		const get = async (code: string) =>
			await run({ instanceId: whole(code) }, [{ id: ID, process, url }]);
		for (const code of ['$json.id', '$json.url']) {
			expect((await get(code)).outputs[0]?.[0]?.json.id).toBe(ID);
		}
		const { error } = await get('$json.process');
		expect(error?.message).toMatch(/ in 'Instance' is a link to a process, not to an instance$/);
		expect(sandbox.requests()).toHaveLength(2);
	});

	test('may give the process', async () => {
		const { error } = await update({ process: whole('11') });
		expect(error).toBeUndefined();
		expect(stored(sandbox, ID).process).toMatch(/\/processes\/11\/$/);
	});

	// n8n makes an empty form out of it.
	test.each(['{ name: "New" }', 'null', '"tags"', '["tags"]', 'undefined'])(
		'that gives %s for the fields to update changes nothing',
		async (code) => {
			const { error } = await update({ updateFields: whole(code) });
			expect(error?.message).toBe('Nothing to update was chosen');
			expect(sandbox.requests()).toEqual([]);
		},
	);

	test.each([
		['output', { operation: 'get' }, "'Output'"],
		['unsetFields', { operation: 'update', updateFields: { name: 'New' } }, "'Other Fields'"],
		['idSource', { operation: 'bulkDelete', instanceIds: '1' }, "'ID Source'"],
		['idField', { operation: 'bulkDelete', idSource: 'inputField' }, "'ID Field'"],
	])('that finds nothing for %s is refused', async (name, parameters, label) => {
		const given = { instanceId: locator(ID), ...parameters, [name]: whole('null') };
		const { error } = await run(given, [{ id: ID }]);
		expect(error?.message).toContain(label);
		expect(sandbox.requests()).toEqual([]);
	});
});

/** Throws in n8n's expressions where the text is no date. */
const THROWS = '$json.date.toDateTime().toISO()';

const ITEMS = [
	{ id: 101, date: '2026-07-01' },
	{ id: 102, date: '2026-07-02' },
	{ id: 104, date: 'no date at all' },
	{ id: 105, date: '2026-07-04' },
];
const BAD = 2;
const GOOD = [0, 1, 3];

const OPERATIONS: Array<[operation: string, label: string, parameters: INodeParameters]> = [
	['Get', 'Instance', { instanceId: locator(`={{ ${THROWS} && $json.id }}`) }],
	[
		'Update',
		'Fields to Update',
		{
			operation: 'update',
			instanceId: ID_OF_ITEM,
			updateFields: { deadline: `={{ ${THROWS} }}` },
		},
	],
	[
		'Bulk Delete',
		'Instance IDs',
		{ operation: 'bulkDelete', instanceIds: `={{ ${THROWS} && $json.id }}` },
	],
	[
		'Get, in an option',
		'Options',
		{
			instanceId: ID_OF_ITEM,
			options: { injectValues: `={{ ${THROWS} !== '' }}` },
		},
	],
];

describe('An expression that throws in one item', () => {
	describe.each(OPERATIONS)('of %s', (_operation, label, parameters) => {
		test('stops the run with the label and the item, and nothing is changed', async () => {
			const { error } = await run(parameters, ITEMS);
			expect(error?.message).toMatch(
				new RegExp(`^The expression in '${label}' cannot be evaluated: .+`),
			);
			expect(error?.itemIndex).toBe(BAD);
			expect(sandbox.log().filter(({ method }) => method !== 'GET')).toEqual([]);
		});

		test('comes out with Continue as one paired item in its place, and the others go on', async () => {
			const { outputs } = await run(parameters, ITEMS, { onError: 'continueRegularOutput' });
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
				ITEMS.map((_, item) => ({ item })),
			);
			const isRefused = outputs[0]?.map(({ json }) => json.error !== undefined);
			expect(isRefused).toEqual(ITEMS.map((_, item) => item === BAD));
			expect(stored(sandbox, 104).deadline).not.toBe(ITEMS[BAD]?.date);
		});

		test('goes with its input fields to the error output', async () => {
			const { outputs, downstream } = await run(parameters, ITEMS, {
				onError: 'continueErrorOutput',
				downstream: true,
			});
			expect(outputs[1]).toHaveLength(1);
			expect(outputs[1]?.[0]).toMatchObject({
				json: { ...ITEMS[BAD], error: expect.stringContaining(`'${label}'`) },
				pairedItem: { item: BAD },
			});
			expect(downstream.success).toEqual(GOOD.map((item) => ({ value: ITEMS[item] })));
			expect(downstream.error).toEqual([{ value: ITEMS[BAD] }]);
		});
	});

	test.each([
		['only what to do', '$("Nowhere").first().json.id', / this item\. \(item 0\)$/],
		['what n8n adds', '$("Items").itemMatching(99).json.id', / this item\. [A-Z].+ \(item 0\)$/],
	])('says %s: {{ %s }}', async (_, expression, words) => {
		const { error } = await run({ instanceId: locator(`={{ ${expression} }}`) }, ITEMS);
		expect(error?.description).toMatch(/^Correct the expression, or the data that it gets from/);
		expect(error?.description).toMatch(words);
	});

	test('of an option of Bulk Delete, which the first item decides, deletes nothing and makes an item of each', async () => {
		const { outputs } = await run(
			{
				operation: 'bulkDelete',
				instanceIds: '={{ $json.id }}',
				options: { batchSize: `={{ ${THROWS} && 5 }}` },
			},
			[...ITEMS].reverse().slice(1),
			{ onError: 'continueRegularOutput' },
		);
		expect(outputs[0]).toHaveLength(3);
		for (const { json } of outputs[0] ?? []) expect(json.error).toContain("'Options'");
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('With Continue, what nobody expected', () => {
	const slip = (thrown: unknown) => {
		jest.spyOn(limiter, 'joinLimiter').mockImplementation(() => {
			throw thrown;
		});
		return jest.spyOn(Container.get(Logger), 'error');
	};
	afterEach(() => {
		jest.restoreAllMocks();
	});

	test.each(OPERATIONS)(
		'makes a paired item of each input item of %s, a missing credential as well',
		async (...row) => {
			const [, , parameters] = row;
			const items = ITEMS.slice(0, 2);
			const runWith = async (more: Partial<RunNodeOptions> = {}) => {
				const settings = { onError: 'continueErrorOutput', downstream: true, ...more } as const;
				const result = await run({ ...parameters, options: {} }, items, settings);
				expect(result.outputs[0]).toEqual([]);
				expect(result.downstream.error).toEqual(items.map((value) => ({ value })));
				return result.outputs[1]?.map(({ json }) => json.error);
			};
			const logged = jest.spyOn(Container.get(Logger), 'error');
			await runWith({ credentials: { baseUrl: 'nowhere', apiKey: 'key-of-a-test' } });
			// The item tells it.
			expect(logged).not.toHaveBeenCalled();
			// The limiter is joined when the key is known.
			slip(new TypeError(`A slip of ours with ${sandbox.credentials.apiKey}`));
			const words = 'This node could not finish its work: A slip of ours with ***';
			expect(await runWith()).toEqual([
				expect.stringContaining(words),
				expect.stringContaining(words),
			]);
			// With the stack, for whoever mends it.
			expect(logged).toHaveBeenCalledWith(
				expect.stringMatching(/A slip of ours with \*{3}\n\s+at /),
				expect.objectContaining({ node: 'Service' }),
			);
		},
	);

	test('is told in its own words if it is no more than words', async () => {
		const logged = slip('A slip in words');
		const { error } = await run({ instanceId: locator(101) });
		expect(error?.message).toBe('This node could not finish its work: A slip in words');
		expect(logged).toHaveBeenCalledWith(
			'Workflow Instance Service did not expect this: A slip in words',
			expect.anything(),
		);
	});
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;

/** What is sent in each of `ZONES`; one text when the zone of the workflow makes no difference. */
type Sent = string | [utc: string, berlin: string, newYork: string];

const EPOCH: Sent = [
	'2026-07-01T10:00:00Z',
	'2026-07-01T12:00:00+02:00',
	'2026-07-01T06:00:00-04:00',
];

/** The same local time in each zone. */
const local = (time: string, berlin: string, newYork: string): Sent => [
	`${time}Z`,
	`${time}${berlin}`,
	`${time}${newYork}`,
];
const summer = (time: string) => local(time, '+02:00', '-04:00');
const winter = (time: string) => local(time, '+01:00', '-05:00');

/** Values of an input item, as other nodes and services give them. */
const VALUES: Array<[value: string | number, sent: Sent]> = [
	// The picker, and ISO 8601 without an offset: the zone of the workflow is meant.
	['2026-07-01T10:00:00', summer('2026-07-01T10:00:00')],
	['2026-01-15T08:30:00', winter('2026-01-15T08:30:00')],
	['2026-07-01T10:00', summer('2026-07-01T10:00:00')],
	['2026-07-01T10:00:00.5', summer('2026-07-01T10:00:00.500')],
	['  2026-07-01T10:00:00\n', summer('2026-07-01T10:00:00')],
	['2026-07-01T24:00:00', summer('2026-07-02T00:00:00')],
	['2026-07-01', summer('2026-07-01T00:00:00')],
	['2028-02-29', winter('2028-02-29T00:00:00')],
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
	// The least number of milliseconds, the largest of seconds, and the least.
	[1e11, ['1973-03-03T09:46:40Z', '1973-03-03T10:46:40+01:00', '1973-03-03T04:46:40-05:00']],
	[1e11 - 1, ['5138-11-16T09:46:39Z', '5138-11-16T10:46:39+01:00', '5138-11-16T04:46:39-05:00']],
	[1e8, ['1973-03-03T09:46:40Z', '1973-03-03T10:46:40+01:00', '1973-03-03T04:46:40-05:00']],
	// Clocks go forward at 2:00, in Berlin on the first day, in New York on the second.
	[
		'2026-03-29T02:30:00',
		['2026-03-29T02:30:00Z', '2026-03-29T03:30:00+02:00', '2026-03-29T02:30:00-04:00'],
	],
	[
		'2026-03-08T02:30:00',
		['2026-03-08T02:30:00Z', '2026-03-08T02:30:00+01:00', '2026-03-08T03:30:00-04:00'],
	],
	// Clocks go back: the first of an hour that comes twice, and what is around it.
	['2026-10-25T01:59:59', summer('2026-10-25T01:59:59')],
	['2026-10-25T02:30:00', summer('2026-10-25T02:30:00')],
	[
		'2026-11-01T01:30:00',
		['2026-11-01T01:30:00Z', '2026-11-01T01:30:00+01:00', '2026-11-01T01:30:00-04:00'],
	],
	['2026-10-25T03:00:00', local('2026-10-25T03:00:00', '+01:00', '-04:00')],
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
	[
		'new Date(0)',
		['1970-01-01T00:00:00Z', '1970-01-01T01:00:00+01:00', '1969-12-31T19:00:00-05:00'],
	],
	["new Date('2026-07-01T10:00:00Z').toISOString()", '2026-07-01T10:00:00Z'],
	["new Date('2026-07-01T10:00:00Z').getTime()", EPOCH],
	["DateTime.fromISO('2026-07-01T10:00:00Z').toMillis()", EPOCH],
];

/** One expression that gives each item what one of these gives: a run costs more than an item. */
const oneOf = (expressions: string[]) => `={{ [${expressions.join(', ')}][$itemIndex] }}`;

const inZone = (sent: Sent, zone: number): string | undefined =>
	typeof sent === 'string' ? sent : sent[zone];

describe('Deadline', () => {
	useDatesOfExpressions();
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

		test('is sent as ISO 8601 with offset, whatever an expression gives', async () => {
			const expressions = EXPRESSIONS.map(([expression]) => expression);
			const { sent } = await run(
				oneOf(expressions),
				EXPRESSIONS.map(() => ({})),
				zone,
			);
			expect(Object.fromEntries(expressions.map((each, item) => [each, sent[item]]))).toEqual(
				Object.fromEntries(EXPRESSIONS.map(([each, expected]) => [each, inZone(expected, index)])),
			);
		});
	});

	test('in an hour that happens twice is sent as one of the two', async () => {
		const { sent } = await run('2026-10-25T02:30:00', [{}], 'Europe/Berlin');
		expect(sent[0]).toMatch(/^2026-10-25T02:30:00\+0[12]:00$/);
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
		1e8 - 1,
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

	test('is refused when an expression gives no date', async () => {
		const dates = ['DateTime.fromISO("nope")', 'DateTime.invalid("nope")', 'new Date("nope")'];
		const expressions = [...dates, 'NaN', '1 / 0'];
		const { outputs } = await run(
			oneOf(expressions),
			expressions.map(() => ({})),
		);
		expect(outputs[0]?.map(({ json }) => json.error)).toEqual(
			expressions.map(() => expect.stringContaining("'Deadline'")),
		);
		expect(sandbox.requests()).toEqual([]);
	});
});
