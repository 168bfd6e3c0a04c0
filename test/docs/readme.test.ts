import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { ROOT } from './repository';
import { cellsOf } from './table';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

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

/** What a form has without its notices, with the fields of its collections under their names. */
function formOf(properties: INodeProperties[], operation?: string) {
	const shown = properties.filter(({ type, displayOptions }) => {
		const operations = displayOptions?.show?.operation;
		return type !== 'notice' && (operation === undefined || operations?.includes(operation));
	});
	return {
		parameters: shown.filter(({ name }) => name !== 'options'),
		fieldsOf: (collection: string) =>
			(shown.find(({ name }) => name === collection)?.options ?? []).filter(isProperty),
	};
}

const { properties } = new WorkflowInstanceService().description;
const triggerForm = new WorkflowInstanceServiceTrigger().description.properties;
const withDefault = (field: INodeProperties) => [field.displayName, asDefault(field)];
const label = ({ displayName }: INodeProperties) => displayName;

describe('the README', () => {
	test.each([
		['Get', formOf(properties, 'get')],
		['Update', formOf(properties, 'update')],
		['Bulk Delete', formOf(properties, 'bulkDelete')],
		['Trigger', formOf(triggerForm)],
	])('lists the parameters and options of %s as the form does, with defaults', (heading, form) => {
		const listed = (column: string) =>
			table(heading, column).map((row) => [row[column], row.Default]);
		expect(listed('Parameter')).toEqual(form.parameters.map(withDefault));
		expect(listed('Option')).toEqual(form.fieldsOf('options').map(withDefault));
	});

	test('lists the events, the fields to update and those of the credential as the forms do', () => {
		const column = (heading: string, name: string) => table(heading, name).map((row) => row[name]);
		const events = triggerForm.find(({ name }) => name === 'events')?.options ?? [];
		const listed = column('Trigger', 'Event').flatMap((names) => names?.split(', '));
		expect(listed.sort()).toEqual(events.map(({ name }) => name));
		const { fieldsOf } = formOf(properties, 'update');
		expect(column('Update', 'Field to update')).toEqual(fieldsOf('updateFields').map(label));
		const credential = new WorkflowInstanceServiceApi().properties;
		expect(column('Credential', 'Field')).toEqual(credential.map(label));
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
