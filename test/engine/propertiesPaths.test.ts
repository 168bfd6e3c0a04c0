import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { inputItemReader } from '../../nodes/WorkflowInstanceService/n8n/inputItem';
import { parameterReader } from '../../nodes/WorkflowInstanceService/n8n/parameterReader';
import { describeStandIn, runNode, types } from '../harness';
import { CASES, settings } from './support/hostile';

jest.setTimeout(Math.max(60_000, CASES * 100));

const NAMES = ['value', 'locator', 'fields', 'rows'];

/** Whether the node gets copies of the items on which n8n evaluates expressions. */
let seesCopies = false;
/** The value of each parameter of each item, as read by this package and by n8n. */
const seen: Array<{ ours: unknown; theirs: unknown }> = [];

function outcome(read: () => unknown): unknown {
	try {
		return { value: read() };
	} catch {
		return 'thrown';
	}
}

const ofText = (name: string): INodeProperties => {
	return { displayName: name, name, type: 'string', default: '' };
};
const ofId = (name: string): INodeProperties => {
	return { ...ofText(name), type: 'resourceLocator', default: {}, modes: [] };
};
const ROWS: INodeProperties = {
	...{ ...ofText('rows'), type: 'fixedCollection', default: {} },
	typeOptions: { multipleValues: true },
	options: [{ displayName: 'row', name: 'row', values: [ofText('a'), ofId('b')] }],
};

types.addNode('fixture.probe', {
	description: describeStandIn('probe', [
		ofText('value'),
		ofId('locator'),
		{ ...ofText('fields'), type: 'collection', default: {}, options: ['a', 'b'].map(ofText) },
		ROWS,
	]),
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const getInputData = () =>
			seesCopies ? items.map((item) => ({ ...item, json: { ...item.json } })) : items;
		const context: IExecuteFunctions = Object.assign(Object.create(this), { getInputData });
		const evaluate = (name: string, item: number) => this.getNodeParameter(name, item, null);
		const parametersOf = parameterReader(this, evaluate, inputItemReader(context));
		for (const name of NAMES) {
			for (const item of items.keys()) {
				const theirs = outcome(() => evaluate(name, item));
				const ours = outcome(() => parametersOf(item).get({ name, displayName: name }));
				seen.push({ ours, theirs });
			}
		}
		return await Promise.resolve([items]);
	},
});

const KEYS = [
	...['id', 'order', 'instance id', 'a.b', '0', 'length', 'class', 'process', 'name', '$json', '$'],
	...['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'constructorId'],
	...['caller', 'arguments', 'binding', 'globalThis', 'x.constructor', '__lookupGetter__'],
	...['__isObject', '__isArray', '__isError', '__n8nType', 'isProxy', 'then', 'toJSON', 'json'],
	...['größe', 'a"b', "a'b", 'a\\b', '\\u0024', '{{', '}}', 'a}}b', 'f(x)', 'x.first()', '`', ''],
	...[
		'00',
		'-1',
		'1e2',
		'99999999999999999999',
		'//',
		'/* */',
		'a\nb',
		'\u2028',
		'\ud800',
		'😀',
		'this',
		'window',
		'__sanitize',
		'E',
		'v',
	],
];
/** Usually one of some values, now and then one of others. */
const mostly = <T>(some: T[], others: T[]): fc.Arbitrary<T> =>
	fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...some) }, fc.constantFrom(...others));

const key = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('id', 'order', 'instance id', '0', '12') },
	{ weight: 4, arbitrary: fc.constantFrom(...KEYS) },
	fc.string({ unit: 'grapheme', maxLength: 8 }),
);
/** How a path continues to a key, `@`. */
const step = mostly(
	['.@', '.@', '["@"]', "['@']", '[@]', ' . @ ', '[ "@"\n]', "\t['@'] "],
	['\u00a0.@', '/**/.@', '["@"/**/]', '[\u00a0"@"]', '[`@`]', '?.@'],
);
const root = mostly(['$json'], ['$JSON', '\\u0024json', '$json?', '$input.item.json']);
/** An expression with a path, `@`. */
const frame = mostly(
	['={{ @ }}', '={{ @ }}', '={{@}}'],
	[
		...['= {{ @ }}', '={{ @ }} ', '={{ @ }}{{ @ }}', '={{ @; }}', '={{ (@) }}', '={{ @', '=@'],
		'{{ @ }}',
	],
);

type Holder = (name: string, value: unknown) => unknown;
const inObject: Holder = (name, value) => ({ [name]: value });
const inDate: Holder = (name, value) => Object.assign(new Date(0), { [name]: value });
/** Objects that have a value under a key, or seem to. */
const holder = mostly<Holder>(
	[inObject],
	[
		inDate,
		(name, value) => Object.create({ [name]: value }),
		(name, value) => Object.assign(Object.create(null), { [name]: value }),
		(name, value) => Object.assign([value], { [`x${name}`]: value }),
		(_, value) => ({ other: value }),
		() => null,
	],
);

class Thing {
	id = 1;
}
const scalar = fc.constantFrom<unknown>(7, '7', null, true, '={{ 1 }}', [1, 'a', null]);
const end = fc.oneof(
	{ weight: 2, arbitrary: scalar },
	{ weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
	fc.constantFrom<unknown>(
		...[undefined, NaN, Infinity, -0, 5n, new Date(0), DateTime.fromMillis(0), new Map([[1, 2]])],
		...[() => 1, new Thing(), Object.create({ id: 1 }), [1, undefined], Array(2), [new Date(0)]],
		...[[DateTime.fromMillis(0)], { at: DateTime.fromMillis(0) }, /x/, new String('x'), [[1]]],
	),
);

const part = fc.record({ key, step, holder });
/** A path, the expression around it, and what is at its end in each item. */
const cases = fc.record({
	path: fc.array(part, { minLength: 1, maxLength: 2 }),
	root,
	frame,
	ends: fc.array(end, { minLength: 1, maxLength: 2 }),
});
const plainPath = (...steps: Array<[key: string, holder: Holder, notation?: string]>) => ({
	path: steps.map(([name, holds, notation = '.@']) => ({
		key: name,
		step: notation,
		holder: holds,
	})),
	...{ root: '$json', frame: '={{ @ }}', ends: [1] },
});
const CALLS = [
	'f(x)',
	'x.first()',
	'.isEmpty()',
	').length',
	'(',
	']) + ("',
	'a, b',
	';',
	'$json.x',
];
/**
 * Through a date, by keys that n8n rejects, replaces, or finds outside the item, and by those that look like calls or
 * contain the other kind of quotation mark.
 */
const EXAMPLES = [
	...CALLS.map((name) => plainPath([name, inObject, "['@']"])),
	plainPath(["Kunde's ID (neu)", inObject, '["@"]']),
	plainPath(['a', inObject], ['b', inDate]),
	...['constructorId', 'globalThis', 'toString', 'hasOwnProperty'].flatMap((name) => [
		plainPath([name, inObject]),
		plainPath([name, (_, value) => ({ other: value })]),
	]),
];

describe('A path into the item', () => {
	const type = 'fixture.probe';
	afterEach(() => (seesCopies = false));

	test('is evaluated by n8n if the node sees copies of its items', async () => {
		seesCopies = true;
		const parameters = { value: '={{ $json.id }}' };
		const run = await runNode({ type, parameters, items: [{ id: 7 }] });
		// Once for this package, and once for the comparison.
		expect(run.evaluations).toBe(2);
		expect(seen.splice(0)[0]?.ours).toEqual({ value: 7 });
	});

	test('is read just as n8n evaluates it, whatever the path and the item', async () => {
		let plain = 0;
		await fc.assert(
			fc.asyncProperty(cases, async ({ path, root: start, frame: around, ends }) => {
				const steps = path.map((each) => each.step.replaceAll('@', () => each.key));
				const expression = around.replaceAll('@', () => [start, ...steps].join(''));
				const items = ends.map((value) =>
					path.reduceRight((inner, each) => each.holder(each.key, inner), value),
				);
				const { evaluations } = await runNode({
					type,
					parameters: {
						value: expression,
						locator: { __rl: true, mode: 'id', value: expression },
						fields: { a: expression, b: 'constant' },
						rows: {
							row: [{ a: expression, b: { __rl: true, mode: 'id', value: expression } }, { a: '' }],
						},
					},
					items: items.map((json) => ({ ...Object(json) })),
				});
				const reads = seen.splice(0);
				expect(reads).toHaveLength(NAMES.length * items.length);
				for (const { ours, theirs } of reads) expect(ours).toStrictEqual(theirs);
				// n8n's own of each parameter, and the second of the rows.
				if (evaluations === reads.length + items.length) plain += 1;
			}),
			{ ...settings(CASES / 5 + EXAMPLES.length), examples: EXAMPLES.map((each) => [each]) },
		);
		// Most paths aren't plain, but many must be, or this would prove nothing.
		expect(plain).toBeGreaterThan(CASES / 50);
	});
});
