import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import * as limiter from '../../nodes/WorkflowInstanceService/api/sharedLimiters';
import { SEED } from '../../sandbox/service';
import { type RunNodeOptions, useNodeRunner } from '../harness';
import { stored } from './support/instances';
import { useDatesOfExpressions } from './support/realm';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
const { run } = sandbox;

describe('An expression for a whole parameter', () => {
	const ID = SEED.fullyFilled;
	const at = ([name = '', inner]: string[], code: string): INodeParameters => {
		const expression = `={{ ${code} }}`;
		return { [name]: inner === undefined ? expression : { [inner]: expression } };
	};
	/** What comes of an expression where the form would hold a structure, and how often it was asked for. */
	const given = async (name: string, code: string, parameters: INodeParameters) => {
		const item = { ...stored(sandbox, ID) };
		const whole = { instanceId: locator(ID), ...parameters, ...at(name.split('.'), code) };
		const { error, outputs } = await run(whole, [{ id: ID, url: item.url, process: item.process }]);
		return { message: error?.message, json: outputs[0]?.[0]?.json };
	};
	const UPDATE = { operation: 'update', updateFields: { name: 'New' } };

	test.each([
		['instanceId', '$json.id', {}],
		['instanceId', '$json.url', {}],
		['updateFields.process', '12', UPDATE],
	])('may give %s: {{ %s }}', async (name, code, parameters) => {
		expect((await given(name, code, parameters)).json?.id).toBe(ID);
		if (name === 'updateFields.process')
			expect(stored(sandbox, ID).process).toMatch(/\/processes\/12\/$/);
	});

	test.each([
		['instanceId', '$json.process', {}, "in 'Instance' is the URL of a process, not of"],
		// n8n makes an empty form out of it.
		['updateFields', '{ name: "New" }', UPDATE, 'There is nothing to update'],
		['updateFields', 'undefined', UPDATE, 'There is nothing to update'],
		['output', 'null', {}, "'Output' is empty"],
		['options.unsetFields', 'null', UPDATE, "'Other Fields'"],
		['idSource', 'null', { operation: 'bulkDelete', idField: 'id' }, "'ID Source'"],
		[
			'idField',
			'null',
			{ operation: 'bulkDelete', idSource: 'inputField' },
			'has no field "{{ null }}"',
		],
	])('is refused for %s: {{ %s }}', async (name, code, parameters, words) => {
		expect((await given(name, code, parameters)).message).toContain(words);
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

/** A parameter that throws in an item without a date, and is this in all others. */
const throwing = (name: string, code = '$json.id') => ({ [name]: `={{ ${THROWS} && ${code} }}` });
const UPDATE = { operation: 'update', instanceId: ID_OF_ITEM };
const OPERATIONS: Array<[label: string, operation: string, parameters: INodeParameters]> = [
	['Instance', 'Get', throwing('instanceId')],
	['Options', 'Get', { instanceId: ID_OF_ITEM, options: throwing('injectValues', 'true') }],
	['Fields to Update', 'Update', { ...UPDATE, updateFields: throwing('deadline', '$json.date') }],
	['Instance IDs', 'Bulk Delete', { operation: 'bulkDelete', ...throwing('instanceIds') }],
];

describe('An expression that throws in one item', () => {
	describe.each(OPERATIONS)('in %s of %s', (label, _operation, parameters) => {
		test('stops the run with the label and the item, and nothing is changed', async () => {
			const { error } = await run(parameters, ITEMS);
			expect(error?.message).toMatch(
				new RegExp(`^The expression in '${label}' can't be evaluated: .+`),
			);
			expect(error?.itemIndex).toBe(BAD);
			expect(sandbox.log().filter(({ method }) => method !== 'GET')).toEqual([]);
		});

		test('goes with its input fields to the error output', async () => {
			const settings = { onError: 'continueErrorOutput', downstream: true } as const;
			const { outputs, downstream } = await run(parameters, ITEMS, settings);
			const json = { ...ITEMS[BAD], error: expect.stringContaining(`'${label}'`) };
			expect(outputs[1]).toMatchObject([{ json, pairedItem: { item: BAD } }]);
			const [success, error] = [ITEMS.filter((_, item) => item !== BAD), [ITEMS[BAD]]];
			expect(downstream.success).toEqual(success.map((value) => ({ value })));
			expect(downstream.error).toEqual(error.map((value) => ({ value })));
		});
	});

	test.each([
		['only what to do', '$("Nowhere").first().json.id', / uses\.$/],
		['what n8n adds', '$("Items").itemMatching(99).json.id', / uses\. [A-Z].+/],
	])('says %s: {{ %s }}', async (_, expression, words) => {
		const { error } = await run({ instanceId: locator(`={{ ${expression} }}`) }, ITEMS);
		expect(error?.description).toMatch(/^Correct the expression, or the data that it uses/);
		expect(error?.description).toMatch(words);
	});

	test('of an option of Bulk Delete, which the first item decides, makes an item of each', async () => {
		const deletion = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };
		const parameters = { ...deletion, options: throwing('batchSize') };
		const onError = 'continueRegularOutput';
		const { outputs } = await run(parameters, ITEMS.slice(BAD), { onError });
		expect(outputs[0]).toHaveLength(2);
		for (const { json } of outputs[0] ?? []) expect(json.error).toContain("'Options'");
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('What nobody expected', () => {
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
		'makes a paired item of each input item with Continue, %s of %s given',
		async (_label, _operation, parameters) => {
			const items = ITEMS.slice(0, 2);
			const runWith = async (more: Partial<RunNodeOptions> = {}) => {
				const settings = { onError: 'continueErrorOutput', downstream: true, ...more } as const;
				const result = await run({ ...parameters, options: {} }, items, settings);
				expect(result.outputs[0]).toEqual([]);
				expect(result.downstream.error).toEqual(items.map((value) => ({ value })));
				return result.outputs[1]?.map(({ json }) => String(json.error)) ?? [];
			};
			const logged = jest.spyOn(Container.get(Logger), 'error');
			await runWith({ credentials: { baseUrl: 'nowhere', apiKey: 'key-of-a-test' } });
			// The item tells it.
			expect(logged).not.toHaveBeenCalled();
			// The limiter is joined when the key is known.
			slip(new TypeError(`A slip of ours with ${sandbox.credentials.apiKey}`));
			for (const error of await runWith()) {
				expect(error).toContain('happened in this node: A slip of ours with ***');
			}
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
		expect(error?.message).toBe('Something unexpected happened in this node: A slip in words');
		expect(logged).toHaveBeenCalledWith(
			'Unexpected error in Workflow Instance Service: A slip in words',
			expect.anything(),
		);
	});
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;

/** What is sent in each of `ZONES`; one text when the zone of the workflow makes no difference. */
type Sent = string | [utc: string, berlin: string, newYork: string];

/** The same local time in each zone. */
const local = (time: string, berlin: string, newYork: string): Sent => [
	`${time}Z`,
	`${time}${berlin}`,
	`${time}${newYork}`,
];
const summer = (time: string) => local(time, '+02:00', '-04:00');
/** The same moment in each zone, in summer. */
const moment = (date: string, rest = ''): Sent => [
	`${date}T10:00:00${rest}Z`,
	`${date}T12:00:00${rest}+02:00`,
	`${date}T06:00:00${rest}-04:00`,
];
const EPOCH = moment('2026-07-01');

/** Values of an input item, as other nodes and services give them. */
const VALUES: Array<[value: string | number, sent: Sent]> = [
	// The picker, and ISO 8601 without an offset: the zone of the workflow is meant.
	['  2026-07-01T10:00:00.5\n', summer('2026-07-01T10:00:00.500')],
	['2026-01-15T08:30', local('2026-01-15T08:30:00', '+01:00', '-05:00')],
	['2028-02-29', local('2028-02-29T00:00:00', '+01:00', '-05:00')],
	// With an offset: that is kept.
	['2026-07-01T10:00:00.000Z', '2026-07-01T10:00:00Z'],
	['2026-07-01T10:00:00.123456+02:00', '2026-07-01T10:00:00.123+02:00'],
	['2026-07-01T10:00:00+05:30', '2026-07-01T10:00:00+05:30'],
	['2026-07-01T10:00:00+02:00[Europe/Paris]', '2026-07-01T10:00:00+02:00'],
	// As databases write it.
	['2026-07-01 10:00:00.250', summer('2026-07-01T10:00:00.250')],
	['2026-07-01 10:00:00 +02:00', '2026-07-01T10:00:00+02:00'],
	// As e-mails write it.
	['Wed, 01 Jul 2026 10:00:00 +0200', '2026-07-01T10:00:00+02:00'],
	// The time since 1970, in milliseconds and in seconds: the least and the largest of each.
	[1_782_900_000_250, moment('2026-07-01', '.250')],
	[1_782_900_000, EPOCH],
	[1e11, ['1973-03-03T09:46:40Z', '1973-03-03T10:46:40+01:00', '1973-03-03T04:46:40-05:00']],
	[1e11 - 1, ['5138-11-16T09:46:39Z', '5138-11-16T10:46:39+01:00', '5138-11-16T04:46:39-05:00']],
	[1e8, ['1973-03-03T09:46:40Z', '1973-03-03T10:46:40+01:00', '1973-03-03T04:46:40-05:00']],
	// Clocks go forward at 2:00 in Berlin.
	[
		'2026-03-29T02:30:00',
		['2026-03-29T02:30:00Z', '2026-03-29T03:30:00+02:00', '2026-03-29T02:30:00-04:00'],
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
	["DateTime.fromISO('2026-07-01T10:00:00.123Z')", moment('2026-07-01', '.123')],
	["DateTime.fromISO('2026-07-01T10:00:00Z').toUTC()", '2026-07-01T10:00:00Z'],
	["DateTime.fromISO('2026-07-01T10:00:00', { zone: 'Asia/Tokyo' })", '2026-07-01T10:00:00+09:00'],
	["DateTime.fromISO('2026-07-01T10:00:00').toFormat('yyyy-MM-dd')", summer('2026-07-01T00:00:00')],
	['$today.set({ year: 2026, month: 7, day: 1 })', summer('2026-07-01T00:00:00')],
	["'2026-07-01T10:00:00'.toDateTime()", summer('2026-07-01T10:00:00')],
	["new Date('2026-07-01T10:00:00Z')", EPOCH],
	["new Date('2026-07-01T10:00:00Z').toISOString()", '2026-07-01T10:00:00Z'],
	["new Date('2026-07-01T10:00:00Z').getTime()", EPOCH],
];

/** One expression that gives each item what one of these gives: a run costs more than an item. */
const oneOf = (expressions: string[]) => `={{ [${expressions.join(', ')}][$itemIndex] }}`;

describe('Deadline', () => {
	useDatesOfExpressions();
	const onError = 'continueRegularOutput';
	const runners = new Map(
		ZONES.map((timezone) => [timezone, useNodeRunner({ parameters: {}, onError, timezone })]),
	);
	/** Updates as many new instances as there are items; gives what comes out, and the deadlines kept. */
	const run = async (
		deadline: string,
		items: IDataObject[],
		timezone: (typeof ZONES)[number] = 'UTC',
	) => {
		const ids = sandbox.control.addInstances(items.length);
		const result = await runners.get(timezone)?.run({
			parameters: {
				...UPDATE,
				options: { unsetFields: 'reset' },
				updateFields: { process: locator(SEED.processes.onboarding), deadline },
			},
			items: items.map((item, index) => ({ ...item, id: ids[index] })),
			credentials: sandbox.credentials,
		});
		const deadlines = ids.map((id) => stored(sandbox, id).deadline);
		return { output: result?.outputs[0] ?? [], deadlines };
	};

	test.each(ZONES)('is sent as ISO 8601 with offset, in %s', async (zone) => {
		const given = (values: unknown[], sent: unknown[]) =>
			values.map((value, item) => [value, sent[item]]);
		const wanted = (rows: Array<[value: unknown, sent: Sent]>) =>
			rows.map(([value, sent]) => [
				value,
				typeof sent === 'string' ? sent : sent[ZONES.indexOf(zone)],
			]);
		const values = VALUES.map(([value]) => value);
		const ofItems = await run(
			'={{ $json.value }}',
			values.map((value) => ({ value })),
			zone,
		);
		expect(given(values, ofItems.deadlines)).toEqual(wanted(VALUES));
		expect(ofItems.output.map(({ json }) => json.deadline)).toEqual(ofItems.deadlines);
		const expressions = EXPRESSIONS.map(([expression]) => expression);
		const { deadlines } = await run(oneOf(expressions), Array(expressions.length).fill({}), zone);
		expect(given(expressions, deadlines)).toEqual(wanted(EXPRESSIONS));
	});

	const REFUSED = [
		...['2026-02-29', '2026-07-01T25:00:00', '2026-07-01T10:00:00+02:00x', '01.07.2026'],
		...['tomorrow', '10:00', '20260701', '+010000-01-01T00:00:00Z', '2026-07-01, 2026-07-02'],
		...[`2026-07-01${' '.repeat(500)}x`, 0, 1e8 - 1, 1e20, true, [], ['2026-07-01'], {}],
	];

	test('is refused when it is no date, one item at a time', async () => {
		const items = REFUSED.map((value) => ({ value }));
		const { output } = await run('={{ $json.value }}', items);
		expect(sandbox.requests()).toEqual([]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		for (const { json } of output) {
			expect(json.error).toMatch(/^(.{1,99} in 'Deadline' is not|'Deadline' contains .*) a date$/);
		}
	});

	test('is refused when an expression gives no date', async () => {
		const expressions = ['DateTime.invalid("nope")', 'new Date("nope")', 'NaN', '1 / 0'];
		const { output } = await run(oneOf(expressions), Array(expressions.length).fill({}));
		expect(output).toHaveLength(expressions.length);
		for (const { json } of output) expect(json.error).toContain("'Deadline'");
		expect(sandbox.requests()).toEqual([]);
	});
});
