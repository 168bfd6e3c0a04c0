import { type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';
import { parse } from 'yaml';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { INSTANCE_FIELDS, outputForm } from '../../nodes/WorkflowInstanceService/instance/output';
import { FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { asObject, isObject } from '../../nodes/WorkflowInstanceService/values/json';
import { INSTANCE_FIELDS as INTERFACE_FIELDS, SEED } from '../../sandbox/service';
import { OPTIONS } from '../../scripts/parametersPage';
import { read } from '../docs/repository';
import { createTrigger } from '../harness';
import { OPERATIONS, parametersOf } from './support/operations';
import { locator, useSandbox } from './support/sandbox';

/** What people read. It may change without any effect on saved workflows. */
const WORDS = ['description', 'displayName', 'hint', 'message', 'placeholder'];

/** The JSON of an object without its words, on one line; empty when nothing remains. */
function withoutWords(value: object): string {
	const json = JSON.stringify(value, (key, each: unknown) => {
		if (WORDS.includes(key)) return undefined;
		return isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each;
	});
	return json === '{}' ? '' : json;
}

/** One line for each parameter: its path, type, default, choices, and everything else that isn't words. */
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

/** What saved workflows and credentials contain of a type, without its words. */
function contractOf(type: { name: string; properties: INodeProperties[] }): string {
	const { properties, ...rest } = type;
	return ['', withoutWords(rest), ...linesOf(properties), ''].join('\n');
}

/**
 * Saved workflows contain these names and values, so changes must show up in review. If one is intended, run:
 * npx jest description -u
 */
describe('What the editor shows and saved workflows hold', () => {
	const { name, properties } = new WorkflowInstanceServiceApi();

	test.each([
		['node', () => new WorkflowInstanceService().description],
		['trigger', () => new WorkflowInstanceServiceTrigger().description],
		['credential', () => ({ name, properties })],
	])('of the %s', (_what, make) => {
		expect(contractOf(make())).toMatchSnapshot();
	});
});

test.each(OPTIONS)('The hint for AI builders names $name', ({ name }) => {
	const { builderHint } = new WorkflowInstanceService().description;
	expect(builderHint?.searchHint).toContain(`(${name})`);
});

/** The description of the interface, and the schemas of the node, as far as the tests check them. */
interface Schema {
	properties: Record<string, Partial<Schema> & { type: string; items?: { type: string } }>;
}

const SCHEMAS = 'nodes/WorkflowInstanceService/__schema__/v1.0.0';

const schemaAt = (path: string): Schema => JSON.parse(read(`${SCHEMAS}/${path}`));
const schemaOf = (operation: string) => schemaAt(`instance/${operation}.json`);

function typeOf(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

const { components } = parse(read('sandbox/service/openapi.yaml'), { merge: true });

/** The fields of an instance in the description of the interface. */
const described: Schema['properties'] = components.schemas.Instance.properties;

describe('the fields that the node knows', () => {
	test('are those of openapi.yaml, in instance/output.ts and docs/dev/service-interface.md', () => {
		const fields = INSTANCE_FIELDS.map(({ value }) => value).sort();
		expect(fields).toEqual(Object.keys(described).sort());
		const page = read('docs/dev/service-interface.md');
		expect(fields.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
	});

	test('can be set as the interface says: update/fields lists those of InstanceUpdate', () => {
		const keys = FIELDS.map(({ key }) => key).sort();
		expect(keys).toEqual([...INTERFACE_FIELDS.settable].sort());
		expect(FIELDS.filter(({ form, label }) => !form.displayName.endsWith(label))).toEqual([]);
	});
});

/** What the editor previews (docs/dev/n8n-engine.md#output-schemas) must match the actual output. */
describe('output schemas', () => {
	const sandbox = useSandbox();

	test('have ten fields at most, as n8n asks: those in instance/output.ts', async () => {
		const { outputs } = await sandbox.run({ instanceId: locator(SEED.fullyFilled) });
		const fields = Object.keys(outputs[0]?.[0]?.json ?? {});
		expect(fields.length).toBeLessThanOrEqual(10);
		const words = fields.map((field) => (/_time$/.test(field) ? 'times' : field.replace('_', ' ')));
		const { description } = asObject(outputForm[0]?.options?.[0]);
		const named = String(description)
			.toLowerCase()
			.split(/, | and /);
		expect(named).toEqual([...new Set(words)]);
	});

	test('of the trigger', async () => {
		const parameters = { instanceIds: String(SEED.completed), events: ['completed'] };
		const trigger = await createTrigger({ parameters, credentials: sandbox.credentials });
		const [{ sample, ...item } = {}] = (await trigger.poll('manual')) ?? [];
		const { properties } = schemaAt('../v1.0.0.json');
		expect(sample).toBe(true);
		const types = Object.entries(properties).map(([key, { type }]) => [key, type]);
		expect(Object.entries(item).map(([key, value]) => [key, typeOf(value)])).toEqual(types);
		const { changes, instance } = properties;
		expect(Object.keys(asObject(item.changes))).toEqual(Object.keys(changes?.properties ?? {}));
		expect(instance?.properties).toEqual(schemaOf('get').properties);
	});

	test.each(OPERATIONS)('of %s have its fields, with types of the interface', async (operation) => {
		const items = [{ id: SEED.fullyFilled }];
		const { outputs } = await sandbox.run(parametersOf(operation), items);
		const { properties } = schemaOf(operation);
		expect(Object.keys(properties)).toEqual(Object.keys(outputs[0]?.[0]?.json ?? {}));
		for (const [field, { type, items: entries }] of Object.entries(properties)) {
			// For fields that only the node adds, the type is the one in the output.
			const own = described[field] ?? { type: typeof outputs[0]?.[0]?.json[field] };
			// There, entries of other types have their own schemas.
			const entry = own.items && (own.items.type ?? 'object');
			expect([field, type, entries?.type]).toEqual([field, own.type, entry]);
		}
	});
});

/** The parameters as n8n saves them in a workflow, or as it completes them before a run. */
function savedBy(given: INodeParameters, withDefaults: boolean): INodeParameters | null {
	const { description } = new WorkflowInstanceService();
	const node = { typeVersion: 1 };
	const { properties } = description;
	return NodeHelpers.getNodeParameters(properties, given, withDefaults, false, node, description);
}

const EMPTY_ROW = { stepId: locator('', 'list'), userId: locator('', 'list') };
// An added value may be the default, which n8n might treat as no value.
test.each<INodeParameters>([
	{ dryRun: true },
	{ updateFields: { priority: '' } },
	{ updateFields: { changeSteps: { change: [EMPTY_ROW] } } },
	{ updateFields: { changeSteps: { change: [{ action: 'remove', stepId: 1201, userId: 7 }] } } },
])('n8n saves what was added to an Update: %j', (added) => {
	const given = { operation: 'update', ...added };
	expect(savedBy(given, false)).toEqual(given);
	expect(savedBy(given, true)).toMatchObject(given);
});
