import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { Expression, type IDataObject, type INodeParameters } from 'n8n-workflow';

import * as limiter from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { SEED } from '../../sandbox/service';
import { expressionEngine, type RunNodeOptions } from '../harness';
import { bodies, itemsOf, pairings, stored } from './support/instances';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, locator, useSandbox } from './support/sandbox';
import { add, reassign, rows } from './support/steps';

const sandbox = useSandbox();
const { run } = sandbox;

test('These tests run on the expression engine that the project names', () => {
	expect(Expression.getActiveImplementation()).toBe(expressionEngine());
});

describe('An expression for a whole parameter', () => {
	const ID = SEED.fullyFilled;
	const UPDATE = { operation: 'update', instanceId: locator(ID) };
	const NAMED = { ...UPDATE, updateFields: { name: 'New' } };
	const given = async (parameters: INodeParameters) =>
		await run(parameters, [{ id: ID, url: stored(sandbox, ID).url, dry: false }]);

	test.each<INodeParameters>([
		{ instanceId: '={{ $json.id }}' },
		{ instanceId: '={{ $json.url }}' },
		{ ...UPDATE, updateFields: { process: '={{ 12 }}' } },
	])('may return what the form would hold as a structure: %j', async (parameters) => {
		const { outputs } = await given(parameters);
		expect(outputs[0]?.[0]?.json.id).toBe(ID);
		const process = parameters.operation === 'update' ? 12 : SEED.processes.invoiceApproval;
		expect(stored(sandbox, ID).process).toMatch(new RegExp(`/processes/${process}/$`));
	});

	test.each<[INodeParameters, words: string]>([
		// n8n makes an empty form of it.
		[{ ...UPDATE, updateFields: '={{ { name: "New" } }}' }, 'There is nothing to update'],
		[{ ...NAMED, dryRun: '={{ true }}' }, "'Dry Run' can't be an expression"],
		[{ ...DELETE_IDS, options: { batchSize: 0 } }, "'Batch Size' is not a whole number of 1"],
		[{ ...DELETE_IDS, options: { batchSize: 0 }, dryRun: true }, "'Batch Size' is not"],
		[{ ...DELETE_IDS, dryRun: '={{ "yes" }}' }, "'Dry Run'"],
		[{ ...DELETE_IDS, dryRun: null }, "'Dry Run' is empty"],
		[{ ...DELETE_IDS, dryRun: "={{ $fromAI('dry', '', 'boolean') }}" }, "'Dry Run' can't be"],
		[{ ...DELETE_IDS, options: { dryRun: true } }, "'Dry Run' is off, but also set"],
		[{ ...NAMED, options: { dryRun: "={{ $fromAI('dry') }}" } }, "'Dry Run' is off, but also set"],
		[{ ...DELETE_IDS, instanceIds: '={{ undefined }}' }, "'Instance IDs' is empty"],
		[{ ...DELETE_IDS, instanceIds: '={{ [101, , 102] }}' }, 'contains an empty entry'],
	])('is rejected in %j, before anything is sent: %s', async (parameters, words) => {
		expect((await given(parameters)).error?.message).toContain(words);
		expect(sandbox.requests()).toEqual([]);
	});
});

const USER = '={{ $json.id }}';
const ROWS = rows(add(1101, USER), reassign(1102, USER));
const EVALUATED = locator('={{ 0 + $json.id }}');
const NAME = { operation: 'update', updateFields: { name: '={{ 1 + 1 }}' } };
const FAILING_NAME = { operation: 'update', updateFields: { name: '={{ $json.id.trim() }}' } };
const EMPTY_NAME = { operation: 'update', updateFields: { name: '={{ $json.name }}' } };
test.each<[INodeParameters, times: number]>([
	[{ instanceId: ID_OF_ITEM }, 0],
	[{ instanceId: locator('={{ $json.list[0].id }}') }, 0],
	[{ instanceId: locator('={{ $json["Client\'s ID (new)"] }}') }, 0],
	[{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { changeSteps: ROWS } }, 0],
	[{ instanceId: locator("={{ $('Items').item.json.id }}") }, 7],
	[{ instanceId: EVALUATED, options: { injectValues: '={{ true && true }}' } }, 14],
	[{ ...NAME, instanceId: EVALUATED, options: { emptyValues: '={{ "keep" + "" }}' } }, 21],
	[{ ...EMPTY_NAME, instanceId: ID_OF_ITEM, options: { emptyValues: 'keep' } }, 7],
	[{ ...FAILING_NAME, instanceId: ID_OF_ITEM, options: { emptyValues: 'keep' } }, 7],
])('For 7 items, the expressions in %j are evaluated %d times', async (parameters, times) => {
	const items = sandbox.control
		.addInstances(7)
		.map((id) => ({ id, list: [{ id }], "Client's ID (new)": id }));
	const { error, outputs, evaluations } = await run(parameters, items);
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(7);
	expect(evaluations).toBe(times);
});

// A quotation mark before braces is text: to n8n, it's a template, whose values differ between items.
test.each<[INodeParameters, field: string, values: unknown[]]>([
	[{ name: '="{{ $json.t }}"' }, 'name', ['"one"', '"two"', '"three"']],
	[{ name: "='{{ $itemIndex }}'" }, 'name', ["'0'", "'1'", "'2'"]],
	[{ tags: '=["{{ $json.t }}"]' }, 'tags', [['one'], ['two'], ['three']]],
])('Update with %j sends each item its own value', async (updateFields, field, values) => {
	const ids = sandbox.control.addInstances(3);
	const items = ['one', 'two', 'three'].map((t, index) => ({ t, id: ids[index] }));
	await run({ operation: 'update', instanceId: ID_OF_ITEM, updateFields }, items);
	expect(ids.map((id) => asObject(stored(sandbox, id))[field])).toEqual(values);
});

const ITEMS = [
	{ id: 101, date: '2026-07-01' },
	{ id: 102, date: '2026-07-02' },
	{ id: 104, date: 'no date at all' },
	{ id: 105, date: '2026-07-04' },
];
const BAD = 2;

/** A parameter that throws in n8n for an item without a date, and has the value of `code` for all others. */
const throwing = (name: string, code = '$json.id') => ({
	[name]: `={{ $json.date.toDateTime().toISO() && ${code} }}`,
});
const UPDATE = { operation: 'update', instanceId: ID_OF_ITEM };
const OPERATIONS: Array<[label: string, operation: string, parameters: INodeParameters]> = [
	['Instance', 'Get', throwing('instanceId')],
	['Options', 'Get', { instanceId: ID_OF_ITEM, options: throwing('injectValues', 'true') }],
	[
		'Deadline',
		'Update',
		{ ...UPDATE, updateFields: { name: 'A', ...throwing('deadline', '$json.date') } },
	],
	['Instance IDs', 'Bulk Delete', { operation: 'bulkDelete', ...throwing('instanceIds') }],
];

test('An expression that refers to a node that does not exist says which', async () => {
	const instanceId = locator("={{ $('Nope').item.json.id }}");
	expect((await run({ instanceId }, ITEMS)).error?.message).toMatch(/exist \('Nope'\)$/);
});

describe('An expression that throws in one item', () => {
	test.each(OPERATIONS)('in %s of %s stops the run or that item', async (label, _, parameters) => {
		const message = expect.stringMatching(`^The expression in '${label}' can't be evaluated: .+`);
		const { error } = await run(parameters, ITEMS);
		expect(error).toMatchObject({ message, itemIndex: BAD });
		expect(sandbox.log().filter(({ method }) => method !== 'GET')).toEqual([]);
		const { outputs } = await run(parameters, ITEMS, { onError: 'continueErrorOutput' });
		expect(outputs[1]).toMatchObject([{ json: { ...ITEMS[BAD], error: message } }]);
		expect(pairings(outputs)).toEqual([[0, 1, 3], [BAD]]);
		// With both settings, n8n would pass on the input items as the result of a node that throws.
		const both = { onError: 'stopWorkflow', continueOnFail: true } as const;
		const { outputs: all } = await run(parameters, ITEMS, both);
		const failed = all[0]?.filter((item) => item.json.error !== undefined);
		expect(failed).toMatchObject([{ json: { error: message }, pairedItem: { item: BAD } }]);
	});

	test('is rejected with what n8n says about it', async () => {
		const instanceId = locator('={{ $("Items").itemMatching(99).json.id }}');
		const words = /^Correct the expression, or the data that it uses\. [A-Z].+/;
		expect((await run({ instanceId }, ITEMS)).error?.description).toMatch(words);
	});

	test('in an option of Bulk Delete, which applies to all items, makes an error item of each', async () => {
		const parameters = { ...DELETE_IDS, options: throwing('batchSize') };
		const { outputs } = await run(parameters, ITEMS.slice(BAD), CONTINUE);
		expect(outputs[0]).toHaveLength(2);
		for (const { json } of outputs[0] ?? []) expect(json.error).toContain("'Options'");
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('Something unexpected', () => {
	const slip = (thrown: unknown) => {
		jest.spyOn(limiter, 'schedulerFor').mockImplementation(() => {
			throw thrown;
		});
		return jest.spyOn(Container.get(Logger), 'error');
	};
	afterEach(() => jest.restoreAllMocks());

	test.each(OPERATIONS)('with %s of %s makes an error item of each', async (...row) => {
		const items = ITEMS.slice(0, 2);
		const runWith = async (more: Partial<RunNodeOptions> = {}) => {
			const settings = { onError: 'continueErrorOutput', ...more } as const;
			const { outputs } = await run({ ...row[2], options: {} }, items, settings);
			expect(pairings(outputs)).toEqual([[], [0, 1]]);
			return outputs[1]?.map(({ json }) => json.error);
		};
		const logged = jest.spyOn(Container.get(Logger), 'error');
		await runWith({ credentials: { baseUrl: 'nowhere', apiKey: 'key-of-a-test' } });
		// What the items say doesn't need a line in the log.
		expect(logged).not.toHaveBeenCalled();
		// The node joins the scheduler once it has a key.
		slip(new TypeError(`A slip of ours with ${sandbox.credentials.apiKey}`));
		const message = expect.stringContaining('happened in this node: A slip of ours with ***');
		expect(await runWith()).toEqual([message, message]);
		const stack = expect.stringMatching(/A slip of ours with \*{3}\n\s+at /);
		expect(logged.mock.calls).toEqual([[stack, expect.objectContaining({ node: 'Service' })]]);
	});

	test('that is just text is reported with that text', async () => {
		const logged = slip('A slip in words');
		const { error } = await run({ instanceId: locator(101) });
		expect(error?.message).toBe('Something unexpected happened in this node: A slip in words');
		const words =
			'Service (workflow 1, execution 1): Unexpected error in Workflow Instance Service: A slip in words';
		expect(logged).toHaveBeenCalledWith(words, expect.anything());
	});
});

const ZONES = ['Europe/Berlin', 'America/New_York'] as const;

/** A value or an expression, what is sent in each of `ZONES`, and, if it differs there, in New York. */
type Row<T> = [given: T, berlin: string, newYork?: string];

const VALUES: Array<Row<string | number>> = [
	['  2026-07-01T10:00:00.5\n', '2026-07-01T10:00:00.500+02:00', '2026-07-01T10:00:00.500-04:00'],
	['2026-01-15T08:30', '2026-01-15T08:30:00+01:00', '2026-01-15T08:30:00-05:00'],
	['2028-02-29', '2028-02-29T00:00:00+01:00', '2028-02-29T00:00:00-05:00'],
	['2026-07-01T10:00:00.000Z\u200b', '2026-07-01T10:00:00Z'],
	// An offset decides, whatever zone is next to it.
	['2026-07-01T10+02:00[Europe/Paris]', '2026-07-01T10:00:00+02:00'],
	['2026-07-01T10:00:00Z[Europe/Berlin]', '2026-07-01T10:00:00Z'],
	['2027-10-31T02:30:00+01:00[!Europe/Berlin][u-ca=iso8601]', '2027-10-31T02:30:00+01:00'],
	['2026-07-01T10:00[Europe/Paris]', '2026-07-01T10:00:00+02:00'],
	['2027-10-31T02:30[Europe/Berlin]', '2027-10-31T02:30:00+02:00'],
	['2026-07-01T10:00[-03:30]', '2026-07-01T10:00:00-03:30'],
	['2026-07-01T10:00-12:00', '2026-07-01T10:00:00-12:00'],
	['2026-07-01T10:00[UTC]', '2026-07-01T10:00:00Z'],
	['2026-07-01 10:00 UTC', '2026-07-01T10:00:00Z'],
	['2026-07-01 10:00 gmt', '2026-07-01T10:00:00Z'],
	['2026-07-01 10:00 America/Sao_Paulo', '2026-07-01T10:00:00-03:00'],
	['2000-01-01', '2000-01-01T00:00:00+01:00', '2000-01-01T00:00:00-05:00'],
	// As calendar files and databases write it.
	['20260701T100000Z', '2026-07-01T10:00:00Z'],
	['20260701T1000', '2026-07-01T10:00:00+02:00', '2026-07-01T10:00:00-04:00'],
	['2026-07-01 10:00', '2026-07-01T10:00:00+02:00', '2026-07-01T10:00:00-04:00'],
	['2026-07-01 10:00:00 +0300', '2026-07-01T10:00:00+03:00'],
	// The time since 1970, in milliseconds and in seconds.
	[1_782_900_000_250, '2026-07-01T12:00:00.250+02:00', '2026-07-01T06:00:00.250-04:00'],
	[946_684_800, '2000-01-01T01:00:00+01:00', '1999-12-31T19:00:00-05:00'],
	[946_684_800_000, '2000-01-01T01:00:00+01:00', '1999-12-31T19:00:00-05:00'],
	// Clocks go forward, and back: in an hour that comes twice, and right around it.
	['2026-03-29T02:30', '2026-03-29T03:30:00+02:00', '2026-03-29T02:30:00-04:00'],
	['2026-10-25T01:59:59', '2026-10-25T01:59:59+02:00', '2026-10-25T01:59:59-04:00'],
	['2026-10-25T02:30:00', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00-04:00'],
	['2026-11-01T01:30:00', '2026-11-01T01:30:00+01:00', '2026-11-01T01:30:00-04:00'],
	['2026-10-25T03:00:00', '2026-10-25T03:00:00+01:00', '2026-10-25T03:00:00-04:00'],
];

/** Objects differ between n8n's expression engines (docs/dev/n8n-engine.md#dates-in-expressions). */
const TODAY = '$today.set({ year: 2026, month: 7, day: 1 })';
const EXPRESSIONS: Array<Row<string>> = [
	["DateTime.fromISO('2026-07-01')", '2026-07-01T00:00:00+02:00', '2026-07-01T00:00:00-04:00'],
	['DateTime.utc(2026, 7, 1, 10)', '2026-07-01T10:00:00Z'],
	[TODAY, '2026-07-01T00:00:00+02:00', '2026-07-01T00:00:00-04:00'],
	["new Date('2026-07-01T10:00Z')", '2026-07-01T12:00:00+02:00', '2026-07-01T06:00:00-04:00'],
];

/** Abbreviations mean several zones, and Luxon chooses places that few people mean. A range isn't an offset. */
const UNCLEAR_ZONES = [
	...['2026-07-01T10:00+24:00', '2026-07-01T10:00+01:60', '2026-07-01 09:00-17:00'],
	...['2026-07-01 10:00-14:00', '2026-07-01 10:00-11:30', '2026-07-01 09:00-10:15'],
	...['2026-07-01 09:00-13', '2026-07-01 09:00-09:15'],
	...['2026-07-01 10:00 Uhr', '2026-07-01 10:00[UTC+9]', '2026-07-01 10:00 Mars/Olympus'],
	...['2026-07-01 17:00 BST', '2026-07-01T17:00 est', '2026-07-01T17:00[IST]'],
	...['2026-07-01 17:00:00 CST', '2026-07-01 17:00 CET'],
];

const REFUSED = [
	...['2026-07-01 10:00 (UTC)', '1 Jul 2026 05:00 (PM)', 'Wed, 01 Jul 2026 10:00 +0300'],
	...['2026-07-01-05', '2026-07-01T10:00 UTC+2', '2026-07-01T10:00[Europe/Berlin'],
	...['2026-02-29', '2026-07-01T25:00:00', '2026-07-01T10:00:00+02:00x', '01.07.2026', 'tomorrow'],
	...['in 3 days', 'by 10 tomorrow'],
	...['10:00', '20260701', '0001-01-01T00:00:00Z', '1899-12-30', '+010000-01-01T00:00:00Z'],
	...['1899-12-30T00:00:00.000+00:09', '1899-12-30T00:00:00 LMT'],
	// An ID, a number that looks like a date, and a phone number.
	...[123_456_789, 202_612_241_200, 4_915_112_345_678],
	...['2026-07-01, 2026-07-02', ['2026-07-01'], { a: 1 }],
	...['2026-07-01 1', 'x', ' 1 Z('].map((start) => `${start}${' '.repeat(100_000)}x`),
	...[' 1', '1Z(', 'a/', ' 1 +1'].map((part) => `${part.repeat(50_000)}!`),
	...[0, 946_684_799, 1e20, true],
];

/** One expression that returns for each item what one of these does, since a run takes longer than an item. */
const oneOf = (expressions: string[]) => `={{ [${expressions.join(', ')}][$itemIndex] }}`;

describe("'Deadline'", () => {
	/** Updates as many new instances as there are items, and returns the output and the deadlines sent. */
	const update = async (deadline: string, items: IDataObject[], timezone: string = ZONES[0]) => {
		const ids = sandbox.control.addInstances(items.length);
		const { outputs } = await run(
			{ ...UPDATE, updateFields: { deadline } },
			items.map((item, index) => ({ ...item, id: ids[index] })),
			{ ...CONTINUE, timezone },
		);
		return { output: outputs[0] ?? [], deadlines: ids.map((id) => stored(sandbox, id).deadline) };
	};

	// n8n sets Luxon's time zone to that of the workflow whose expression it evaluated last.
	test('as the date picker saves it is in the time zone of its own workflow', async () => {
		const sent: unknown[] = [];
		for (const zone of [...ZONES, ...ZONES]) {
			sent.push(...(await update('2026-07-01T10:00:00', [{}], zone)).deadlines);
		}
		const [berlin, newYork] = ['2026-07-01T10:00:00+02:00', '2026-07-01T10:00:00-04:00'];
		expect(sent).toEqual([berlin, newYork, berlin, newYork]);
	});

	test.each(ZONES)('is sent as ISO 8601 with offset, in a workflow in %s', async (zone) => {
		const inZone = ([, berlin, newYork = berlin]: Row<unknown>) =>
			zone === ZONES[0] ? berlin : newYork;
		const items = VALUES.map(([value]) => ({ value }));
		const { output, deadlines } = await update('={{ $json.value }}', items, zone);
		expect(deadlines).toEqual(VALUES.map(inZone));
		expect(output.map(({ json }) => json.deadline)).toEqual(deadlines);
		// Jest has its own JavaScript realm, in which a date from an isolate isn't a Date. The tour tests that.
		if (expressionEngine() === 'vm') return;
		const expressions = oneOf(EXPRESSIONS.map(([expression]) => expression));
		const ofExpressions = await update(expressions, Array(EXPRESSIONS.length).fill({}), zone);
		expect(ofExpressions.deadlines).toEqual(EXPRESSIONS.map(inZone));
	});

	test('is rejected with an unclear time zone, such as an abbreviation', async () => {
		const { output } = await update('={{ $json.value }}', itemsOf(UNCLEAR_ZONES, 'value'));
		const words =
			/^"([A-Z]ST|CET|est|Uhr|UTC\+9|Mars\/Olympus|[+-][\d:]+)" in 'Deadline' is an ambiguous or unknown time zone$/;
		const json = { error: expect.stringMatching(words) };
		expect(output).toMatchObject(UNCLEAR_ZONES.map(() => ({ json })));
		expect(sandbox.requests()).toEqual([]);
	});

	const NO_ZONES = ['Mars/Olympus', 'DEFAULT', 'local'];
	test.each(NO_ZONES)('needs a time zone of its own in a workflow in %s', async (zone) => {
		const values = ['2026-07-01T10:00', 1_782_900_000, '2026-07-01', '2026-07-01T10:00+02:00'];
		const { output } = await update('={{ $json.value }}', itemsOf(values, 'value'), zone);
		const error = `The time zone of the workflow, "${zone}", does not exist`;
		expect(output.slice(0, 3).map(({ json }) => json.error)).toEqual([error, error, error]);
		// The sandbox of these tests reads dates with the same Luxon.
		expect(bodies(sandbox, 'PUT')).toMatchObject([{ deadline: '2026-07-01T10:00:00+02:00' }]);
	});

	test('is rejected if it is not a date, item by item, before anything is sent', async () => {
		const words = /^(.{1,99} in 'Deadline' is not|'Deadline' contains .*) a date$/;
		const { output } = await update('={{ $json.value }}', itemsOf(REFUSED, 'value'));
		const adviceOn = (value: unknown) => {
			if (typeof value === 'object') return '{{ $json.column';
			const isLikeIso = /^\d{4}-\d\d-\d\d/.test(String(value));
			return isLikeIso ? 'Check that the date exists' : "{{ $json['due'] && DateTime.fromFormat(";
		};
		const error = expect.stringMatching(words);
		const advised = REFUSED.map((value, item) => {
			const details = { description: expect.stringContaining(adviceOn(value)) };
			return { json: { error, details }, pairedItem: { item } };
		});
		expect(output).toMatchObject(advised);
		const expressions = ['DateTime.invalid("nope")', 'NaN', '1 / 0', 'new Date("nope")'];
		const evaluated = await update(oneOf(expressions), Array(4).fill({}));
		const json = {
			error: expect.stringContaining("'Deadline'"),
			details: { description: expect.stringMatching(/^Choose a date/) },
		};
		expect(evaluated.output).toMatchObject(expressions.map(() => ({ json })));
		// In the realm of Jest, as above.
		if (expressionEngine() !== 'vm')
			expect(evaluated.output[3]?.json.error).toBe(`"Invalid Date" in 'Deadline' is not a date`);
		expect(sandbox.requests()).toEqual([]);
	});

	test.each([
		[46_387, '2026-12-31T00:00:00+01:00'],
		['46387.5', '2026-12-31T12:00:00+01:00'],
		// On a day whose clocks change, and as Excel stores 23:59.
		[46_474.708333333336, '2027-03-28T17:00:00+02:00'],
		[46_477.999305555, '2027-03-31T23:59:00+02:00'],
		['1798675200000', '2026-12-31T01:00:00+01:00'],
		['31.12.2026', '2026-12-31T00:00:00+01:00'],
		['3/31/2027', '2027-03-31T00:00:00+02:00'],
		['03/04/2027', '2027-03-04T00:00:00+01:00'],
		['31/03/2027', '2027-03-31T00:00:00+02:00'],
		['31-3-2027', '2027-03-31T00:00:00+02:00'],
		['3-31-2027', '2027-03-31T00:00:00+02:00'],
		['2027/03/31', '2027-03-31T00:00:00+02:00'],
		['2027.3.31 17:00', '2027-03-31T17:00:00+02:00'],
		['31.03.2027 17:00:30', '2027-03-31T17:00:30+02:00'],
		['20270331', '2027-03-31T00:00:00+02:00'],
		['3/31/2027, 5:00 PM', '2027-03-31T17:00:00+02:00'],
		[' 31.3.2027 ', '2027-03-31T00:00:00+02:00'],
	])('%p is rejected with advice on an expression, which returns %s', async (due, expected) => {
		const { output } = await update('={{ $json.due }}', [{ due }]);
		const { description } = asObject(output[0]?.json.details);
		const [expression] = /\{\{.*?\}\}(?=[. ])/.exec(String(description)) ?? [];
		// In the realm of Jest, as above.
		if (expressionEngine() === 'vm' && expression?.includes('DateTime')) return;
		const ofOtherForms = ['2026-07-01', ''].map((each) => ({ due: each }));
		const { output: others } = await update(`=${expression}`, [{ due }, ...ofOtherForms]);
		expect(bodies(sandbox, 'PUT')[0]).toMatchObject({ deadline: expected });
		// A date in the same column is sent or rejected, but never taken for an empty cell, as the other one is.
		const areEmpty = others.slice(1).map(({ json }) => /is empty/.test(String(json.error)));
		expect(areEmpty).toEqual([false, true]);
	});
});
