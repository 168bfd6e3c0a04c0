import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { expressionEngine, useNodeRunner } from '../harness';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

describe('Update refuses', () => {
	const sandbox = useSandbox();
	const VALUE = '={{ $json.value }}';
	const GOOD: INodeParameters = {
		operation: 'update',
		instanceId: locator(SEED.running),
		updateFields: { name: 'Renamed' },
	};

	const runner = useNodeRunner({ parameters: GOOD });

	/** Runs good items and a bad one behind them, which must keep all of them back. */
	async function refusal(
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
	): Promise<{ message: string; description: string }> {
		const { error, outputs } = await runner.run({
			parameters: { ...GOOD, ...parameters },
			items,
			credentials: sandbox.credentials,
		});
		const { message = '', description = '' } = error ?? {};
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(items.length - 1);
		expect(description).toMatch(new RegExp(`\\S.* \\(item ${items.length - 1}\\)$`));
		expect(`${message} ${description}`).not.toMatch(/error|problem|failure|mistake|undefined/i);
		expect(sandbox.requests()).toEqual([]);
		return { message, description };
	}

	/** The label of each field, with a value that can be used. */
	const FIELDS: Record<string, [label: string, good: unknown]> = {
		addTags: ["'Add Tags'", 'a'],
		automaticNaming: ["'Automatic Naming'", true],
		deadline: ["'Deadline'", '2026-07-01'],
		name: ["'Name'", 'Renamed'],
		priority: ["'Priority'", 'H'],
		removeTags: ["'Remove Tags'", 'a'],
		tags: ["'Tags'", 'a'],
	};

	const given = (field: string): INodeParameters => ({ updateFields: { [field]: VALUE } });
	const each = Object.entries(FIELDS).map(([field, [label, good]]) => ({ field, label, good }));
	/** An object that cannot be made text of; the vm engine does not let it out of an expression. */
	const HOSTILE: IDataObject =
		expressionEngine() === 'legacy' ? { toString: 1, valueOf: 1 } : { a: 1 };

	describe('a field of an item', () => {
		test.each(each)('$field: what finds nothing, is empty or an object', async (row) => {
			const { field, label, good } = row;
			const messageOn = async (item: IDataObject) =>
				(await refusal(given(field), [{ value: `${good}` }, item])).message;
			expect(await messageOn({ other: 1 })).toBe(`${label} has no value`);
			for (const value of [{}, { a: 1 }, HOSTILE]) {
				expect(await messageOn({ value })).toContain(label);
			}
			// Null clears these.
			if (!['deadline', 'name', 'priority'].includes(field)) {
				expect(await messageOn({ value: null })).toContain(label);
			}
			if (['addTags', 'removeTags'].includes(field)) return;
			for (const value of ['', '  ', '\n']) {
				expect(await messageOn({ value })).toBe(`${label} is empty`);
			}
		});

		test.each([
			['name', []],
			['name', ['a']],
			['priority', 'low'],
			['priority', 'HV'],
			['priority', 'veryhigh'],
			['priority', 'High, Very High'],
			['priority', 'constructor'],
			['priority', 1],
			['priority', true],
			['priority', ['H']],
			['automaticNaming', 'yes'],
			['automaticNaming', 1],
			['automaticNaming', []],
			['tags', [['a']]],
			['tags', [{ name: 'a' }]],
			['tags', '["a", null]'],
			['tags', ', ,'],
			['addTags', [null]],
			['removeTags', '[["a"]]'],
		])('%s: %j', async (field, value) => {
			const { message } = await refusal(given(field), [
				{ value: `${FIELDS[field]?.[1]}` },
				{ value },
			]);
			expect(message).toContain(FIELDS[field]?.[0]);
		});
	});

	describe('choices', () => {
		test.each<[INodeParameters]>([
			[{ updateFields: {} }],
			[{ updateFields: {}, clearFields: [], process: locator('') }],
			[{ updateFields: { automaticNaming: false } }],
			[{ updateFields: {}, clearFields: '={{ [] }}' }],
		])('nothing chosen: %j', async (parameters) => {
			const { message, description } = await refusal(parameters);
			expect(message).toBe('Nothing to update was chosen');
			expect(description).toContain("'Fields to Update'");
		});

		test.each<[string, unknown, string]>([
			['name', 'a', 'name'],
			['deadline', '2026-07-01', 'deadline'],
			['priority', 'H', 'priority'],
			['priority', 'regular', 'priority'],
			['tags', 'a', 'tags'],
			['addTags', 'a', 'tags'],
			['removeTags', 'a', 'tags'],
			['automaticNaming', true, 'name'],
		])('%s set to %j and %s cleared', async (field, value, cleared) => {
			const { message } = await refusal(
				{ ...given(field), clearFields: ['priority', cleared, 'deadline'].slice(1, 2) },
				[{ value: `${value}` }],
			);
			expect(message).toBe(`${FIELDS[field]?.[0]} is both set and cleared`);
		});

		test.each<[INodeParameters, string[]]>([
			[{ name: 'a', automaticNaming: true }, ["'Name'", "'Automatic Naming'"]],
			[{ tags: 'a', addTags: 'b' }, ["'Tags'", "'Add Tags'"]],
			[{ tags: 'a', removeTags: 'b', addTags: 'c' }, ["'Tags'"]],
		])('%j', async (updateFields, labels) => {
			const { message } = await refusal({ updateFields });
			for (const label of labels) expect(message).toContain(label);
		});

		test.each<[unknown]>([
			['process'],
			[null],
			[undefined],
			[['name', 'id']],
			['__proto__'],
			[7],
			[{}],
			[[null]],
			[HOSTILE],
		])('fields to clear: %j', async (value) => {
			const items = [{ value: ['name'] }, { value: JSON.parse(JSON.stringify({ value })).value }];
			const { message } = await refusal({ updateFields: {}, clearFields: VALUE }, items);
			expect(message).toContain("'Fields to Clear'");
		});

		test.each(['merge', 1, true, 'constructor', [], {}, HOSTILE])(
			'other fields: %j',
			async (value) => {
				const { message } = await refusal({ unsetFields: VALUE }, [{ value: 'keep' }, { value }]);
				expect(message).toContain("'Other Fields'");
			},
		);

		test.each<[string, INodeParameters]>([
			["'Output'", { output: VALUE }],
			["'Fields to Output'", { output: 'selected', outputFields: VALUE }],
			["'Max Retries'", { options: { maxRetries: VALUE } }],
			["'Max Concurrent Requests'", { options: { maxConcurrentRequests: VALUE } }],
		])('%s that does not exist', async (label, parameters) => {
			for (const value of ['x', -1, 1.5, [HOSTILE], HOSTILE, true]) {
				const { message } = await refusal(parameters, [{ value }]);
				expect(message).toContain(label);
			}
		});
	});
});
