import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
	NodeHelpers,
} from 'n8n-workflow';
import { parse } from 'yaml';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { INSTANCE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/fields';
import { QUERY_FLAGS } from '../../nodes/WorkflowInstanceService/instance/get/description';
import { CLEARABLE, SETTABLE } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { isObject } from '../../nodes/WorkflowInstanceService/values/json';
import { SEED } from '../../sandbox/service';
import { createTrigger } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

/** What people read, which may change without a saved workflow noticing. */
const WORDS = ['description', 'displayName', 'hint', 'message', 'placeholder'];

/** The JSON of an object without its words, on one line; empty when nothing is left. */
function withoutWords(value: object): string {
	const json = JSON.stringify(value, (key, each: unknown) => {
		if (WORDS.includes(key)) return undefined;
		return isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each;
	});
	return json === '{}' ? '' : json;
}

/** One line for each parameter: its path, type, default, choices, and what else is no words. */
function linesOf(properties: INodeProperties[], path = ''): string[] {
	return properties.flatMap(({ name, type, default: value, options = [], modes, ...rest }) => {
		const choices: unknown[] = modes?.map((mode) => mode.name) ?? [];
		const inner: string[] = [];
		for (const option of options) {
			if ('value' in option) choices.push(option.value);
			else if ('values' in option)
				inner.push(...linesOf(option.values, `${path}${name}.${option.name}.`));
			else inner.push(...linesOf([option], `${path}${name}.`));
		}
		const among = choices.length === 0 ? '' : `of ${choices.join('|')}`;
		const line = [`${path}${name}: ${type}`, JSON.stringify(value), among, withoutWords(rest)];
		return [line.filter(Boolean).join(' '), ...inner];
	});
}

/** What saved workflows and credentials hold of a type, without its words. */
function contractOf(type: { name: string; properties: INodeProperties[] }): string {
	const { properties, ...rest } = type;
	return ['', withoutWords(rest), ...linesOf(properties), ''].join('\n');
}

/**
 * Saved workflows hold these names and values: a change is to be seen in review. If it is wanted, run:
 * npx jest --selectProjects legacy --testPathPatterns description -u
 */
describe('What the editor shows and saved workflows hold', () => {
	test.each([
		['node', new WorkflowInstanceService().description],
		['trigger', new WorkflowInstanceServiceTrigger().description],
	])('of the %s', (_what, description) => {
		expect(contractOf(description)).toMatchSnapshot();
	});

	test('of the credential', () => {
		const { name, properties } = new WorkflowInstanceServiceApi();
		expect(contractOf({ name, properties })).toMatchSnapshot();
	});
});

/** The description of the interface, and schemas of the node: what is read is what the tests check. */
interface Schema {
	properties: Record<string, { type: string; items?: { type: string } }>;
}

const NODE = join(__dirname, '../../nodes/WorkflowInstanceService');
const INTERFACE = join(__dirname, '../../sandbox/service/interface/openapi.yaml');

function schemaAt(path: string): Schema {
	return JSON.parse(readFileSync(join(NODE, '__schema__/v1.0.0', path), 'utf8'));
}

const schemaOf = (operation: string) => schemaAt(`instance/${operation}.json`);

function typeOf(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

const { components, paths } = parse(readFileSync(INTERFACE, 'utf8'));

/** The fields of an instance in the description of the interface: all, or those that clients can set. */
function describedFields(schema: 'Instance' | 'InstanceUpdate' = 'Instance'): Schema['properties'] {
	return components.schemas[schema].properties;
}

describe('the fields that the node knows', () => {
	test('are all in docs/service-interface.md', () => {
		const page = readFileSync(join(__dirname, '../../docs/service-interface.md'), 'utf8');
		const fields = Object.keys(INSTANCE_FIELDS);
		expect(fields.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
	});

	test('come with what the interface can add: get/description.ts has the flags in openapi.yaml', () => {
		const parameters: Array<{ name: string }> = paths['/instances/{id}/'].get.parameters;
		expect(Object.keys(QUERY_FLAGS)).toEqual(parameters.map(({ name }) => name));
	});

	test('are those of the interface: instance/fields.ts lists what Instance in openapi.yaml has', () => {
		expect(Object.keys(INSTANCE_FIELDS)).toEqual(Object.keys(describedFields()).sort());
	});

	test('can be set as the interface says: update/fields.ts lists what InstanceUpdate has', () => {
		const settable = Object.keys(describedFields('InstanceUpdate'));
		expect(SETTABLE.map(({ key }) => key)).toEqual(settable);
		// The process has a parameter of its own.
		const clearable = settable.filter((key) => key !== 'process').sort();
		expect(CLEARABLE.map(({ key }) => key)).toEqual(clearable);
	});
});

/** What the editor previews (docs/n8n-engine.md#output-schemas) must be what then comes out. */
describe('output schemas', () => {
	const sandbox = useSandbox();

	test.each(['get', 'update'])('of %s have the types of the interface', (operation) => {
		const described = describedFields();
		for (const [field, { type, items }] of Object.entries(schemaOf(operation).properties)) {
			const own = described[field];
			// Entries of other types have a schema of their own there.
			const entry = own?.items && (own.items.type ?? 'object');
			expect([field, type, items?.type]).toEqual([field, own?.type, entry]);
		}
	});

	test('of the trigger', async () => {
		const parameters = { instanceIds: String(SEED.completed), events: ['completed'] };
		const trigger = await createTrigger({ parameters, credentials: sandbox.credentials });
		const [{ sample, ...item } = {}] = (await trigger.poll('manual')) ?? [];
		const { properties } = schemaAt('../v1.0.0.json');
		expect(sample).toBe(true);
		expect(Object.entries(item).map(([key, value]) => [key, typeOf(value)])).toEqual(
			Object.entries(properties).map(([key, { type }]) => [key, type]),
		);
		expect(Object.keys(Object(item.changes))).toEqual(
			Object.keys(Object(properties.changes).properties),
		);
		expect(Object(properties.instance).properties).toEqual(schemaOf('get').properties);
	});

	test.each<[string, INodeParameters]>([
		['get', { instanceId: locator(SEED.fullyFilled) }],
		['update', { instanceId: locator(SEED.fullyFilled), updateFields: { name: 'New' } }],
		['bulkDelete', { instanceIds: String(SEED.fullyFilled) }],
	])('of %s', async (operation, parameters) => {
		const { outputs } = await sandbox.run({ operation, ...parameters });
		const output: IDataObject = outputs[0]?.[0]?.json ?? {};
		const { properties } = schemaOf(operation);
		expect(Object.keys(output)).toEqual(Object.keys(properties));
		for (const [key, value] of Object.entries(output)) {
			if (value !== null) expect([key, typeOf(value)]).toEqual([key, properties[key]?.type]);
		}
	});
});

describe('What n8n saves of the node', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const { description } = new WorkflowInstanceService();
	const { properties } = description;
	const DELETION = { operation: 'bulkDelete', instanceIds: '101' };
	const UPDATE = { operation: 'update', instanceId: locator(ID) };

	/** The parameters as n8n keeps them in a workflow, or as it fills them in before a run. */
	const parametersOf = (given: INodeParameters, withDefaults: boolean): INodeParameters => {
		const node = { typeVersion: 1 };
		const { getNodeParameters } = NodeHelpers;
		return getNodeParameters(properties, given, withDefaults, false, node, description) ?? {};
	};
	const saved = (given: INodeParameters) => parametersOf(given, false);
	const filledIn = (given: INodeParameters) => parametersOf(given, true);
	/** A field or option as the editor adds it: with its default. */
	const added = (collection: string, name: string): INodeParameters => {
		const options = properties.filter((each) => each.name === collection);
		const option = options.flatMap((each) => each.options ?? []).find((each) => each.name === name);
		const isKnown = option !== undefined && 'default' in option;
		return { [name]: isKnown ? (option.default ?? null) : null };
	};

	test('is a dry run or automatic naming that was added, although both are on by default', async () => {
		const deletion = saved({ ...DELETION, options: added('options', 'dryRun') });
		expect(deletion).toEqual({ ...DELETION, options: { dryRun: true } });
		const { outputs } = await sandbox.run(deletion);
		expect(outputs[0]?.[0]?.json).toMatchObject({ id: 101, deleted: false, dryRun: true });
		expect(sandbox.left([101])).toEqual([101]);
		const update = saved({ ...UPDATE, updateFields: added('updateFields', 'automaticNaming') });
		expect(update.updateFields).toEqual({ automaticNaming: true });
	});

	test.each([{ dryRun: false }, { batchSize: 5 }])(
		'are the options %j, to which no dry run is added',
		async (options) => {
			expect(saved({ ...DELETION, options })).toEqual({ ...DELETION, options });
			expect(filledIn({ ...DELETION, options }).options).toEqual(options);
			await sandbox.run({ ...DELETION, options });
			expect(sandbox.left([101])).toEqual([]);
		},
	);

	test('is no field that was not added', async () => {
		const { name } = stored(sandbox, ID);
		const kept = saved({ ...UPDATE, updateFields: { priority: 'V' } });
		expect(filledIn(kept).updateFields).toEqual({ priority: 'V' });
		await sandbox.run(kept);
		expect(stored(sandbox, ID)).toMatchObject({ name, priority: 'V' });
	});

	test.each(['stepAssignments', 'addStepAssignments', 'removeStepAssignments', 'reassignSteps'])(
		'are rows of %s, of which it adds none',
		async (field) => {
			const updateFields = added('updateFields', field);
			const open = locator('', 'list');
			expect(updateFields).toEqual({ [field]: { assignment: [{ stepId: open, userId: open }] } });
			const kept = saved({ ...UPDATE, updateFields });
			expect(filledIn(kept).updateFields).toEqual(updateFields);
			expect((await sandbox.run(kept)).error?.message).toMatch(/^'Step' in '.*' is empty$/);
			const rows = { assignment: [{ stepId: 1201, userId: 7 }] };
			const list = { list: [{ assignments: '={{ [] }}' }] };
			for (const value of [rows, list, { ...rows, ...list }]) {
				const filled = saved({ ...UPDATE, updateFields: { [field]: value } });
				expect(filledIn(filled).updateFields).toEqual({ [field]: value });
			}
		},
	);
});
