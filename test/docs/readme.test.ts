import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { cellsOf } from './table';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');

type Row = Record<string, string>;

/** The tables below a heading, up to the next one. */
function tablesUnder(heading: string): Row[][] {
	const [, section = ''] = README.split(new RegExp(`^#+ ${heading}$`, 'm'));
	const [own = ''] = section.split(/^#+ /m);
	const tables = own.match(/(^\|.*\|\n)+/gm) ?? [];
	return tables.map((table) => {
		const [head = [], , ...rows] = table.trim().split('\n').map(cellsOf);
		return rows.map((row) =>
			Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])),
		);
	});
}

/** The table whose first column has this name. */
function table(heading: string, firstColumn: string): Row[] {
	const found = tablesUnder(heading).find(([row = {}]) => Object.keys(row)[0] === firstColumn);
	return found ?? [];
}

/** A default as the page writes it. */
function asDefault({ default: value, options, required }: INodeProperties): string {
	if (required) return 'required';
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	const names = (options ?? []).flatMap((option) =>
		'value' in option && [value].flat().includes(option.value) ? [option.name] : [],
	);
	if (names.length > 0) return names.join(', ');
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string') return value === '' ? 'empty' : `\`${value}\``;
	return value !== null && typeof value === 'object' && 'mode' in value ? 'empty' : 'none';
}

const isProperty = (option: object): option is INodeProperties =>
	'displayName' in option && 'type' in option;

const { properties } = new WorkflowInstanceService().description;
const formOf = (operation: string) =>
	properties.filter(
		({ type, displayOptions }) =>
			type !== 'notice' && displayOptions?.show?.operation?.includes(operation),
	);
const fieldsOf = (operation: string, collection: string) =>
	(formOf(operation).find(({ name }) => name === collection)?.options ?? []).filter(isProperty);
const labels = (fields: INodeProperties[]) => fields.map(({ displayName }) => displayName);

describe('the README', () => {
	describe.each([
		['Get', 'get'],
		['Update', 'update'],
		['Bulk Delete', 'bulkDelete'],
	])('names for %s', (heading, operation) => {
		test('the parameters as the form does, with their defaults', () => {
			const form = formOf(operation).filter(({ name }) => name !== 'options');
			expect(table(heading, 'Parameter').map((row) => [row.Parameter, row.Default])).toEqual(
				form.map((field) => [field.displayName, asDefault(field)]),
			);
		});

		test('the options as the form does, with their defaults', () => {
			expect(table(heading, 'Option').map((row) => [row.Option, row.Default])).toEqual(
				fieldsOf(operation, 'options').map((field) => [field.displayName, asDefault(field)]),
			);
		});
	});

	test('names the parameters, options and events of the trigger as its form does', () => {
		const form = new WorkflowInstanceServiceTrigger().description.properties;
		const optionsOf = (name: string) => form.find((field) => field.name === name)?.options ?? [];
		const parameters = form.filter(({ name }) => name !== 'options');
		expect(table('Trigger', 'Parameter').map((row) => [row.Parameter, row.Default])).toEqual(
			parameters.map((field) => [field.displayName, asDefault(field)]),
		);
		expect(table('Trigger', 'Option').map((row) => [row.Option, row.Default])).toEqual(
			optionsOf('options')
				.filter(isProperty)
				.map((field) => [field.displayName, asDefault(field)]),
		);
		const events = table('Trigger', 'Event').flatMap(({ Event = '' }) => Event.split(', '));
		expect(events.sort()).toEqual(optionsOf('events').map(({ name }) => name));
	});

	test('names the fields that can be updated as the form does', () => {
		const rows = table('Update', 'Field to update');
		expect(rows.map((row) => row['Field to update'])).toEqual(
			labels(fieldsOf('update', 'updateFields')),
		);
	});

	test('names the fields of the credential as its form does', () => {
		expect(table('Credential', 'Field').map(({ Field }) => Field)).toEqual(
			labels(new WorkflowInstanceServiceApi().properties),
		);
	});

	test('has a recipe for each example', () => {
		const linked = table('Recipes', 'You want to').map(({ Workflow = '' }) =>
			Workflow.replace(/^.*\(examples\/(.+)\)$/, '$1'),
		);
		const files = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.json'));
		expect(linked.sort()).toEqual(files.sort());
	});

	test('shows every picture, light and dark, and the film', () => {
		const shown = README.match(/docs\/(pictures|film)\/[\w-]+\.\w+/g) ?? [];
		const files = ['docs/pictures', 'docs/film'].flatMap((folder) =>
			readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`),
		);
		expect([...new Set(shown)].sort()).toEqual(files.sort());
	});
});
