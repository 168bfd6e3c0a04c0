import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { parse } from 'yaml';

import { INSTANCE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/fields';
import { CLEARABLE, SETTABLE } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { SEED } from '../../sandbox/service';
import { createTrigger } from '../harness';
import { locator, useSandbox } from './support/sandbox';

interface Schema {
	properties: Record<string, { type: string; items?: { type: string } }>;
}

const FOLDER = join(__dirname, '../../nodes/WorkflowInstanceService/__schema__/v1.0.0/instance');

/** JSON text that is read into a shape that the test itself then checks. */
function schemaAt(path: string): Schema {
	return JSON.parse(readFileSync(join(FOLDER, path), 'utf8'));
}

const schemaOf = (operation: string) => schemaAt(`${operation}.json`);

function typeOf(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The fields of an instance in the description of the interface: all, or those that clients can set. */
function describedFields(schema: 'Instance' | 'InstanceUpdate' = 'Instance'): Schema['properties'] {
	const file = join(__dirname, '../../sandbox/service/interface/openapi.yaml');
	return parse(readFileSync(file, 'utf8')).components.schemas[schema].properties;
}

describe('the fields that the node knows', () => {
	test('are those of the interface: instance/fields.ts lists what Instance in openapi.yaml has', () => {
		expect(Object.keys(INSTANCE_FIELDS)).toEqual(Object.keys(describedFields()).sort());
	});

	test('can be set as the interface says: update/fields.ts lists what InstanceUpdate has', () => {
		expect(SETTABLE.map(({ key }) => key)).toEqual(Object.keys(describedFields('InstanceUpdate')));
	});

	test('can be replaced and cleared if they can be set; the process has a parameter of its own', () => {
		const settable = SETTABLE.map(({ key }) => key).filter((key) => key !== 'process');
		expect(CLEARABLE.map(({ key }) => key)).toEqual(settable.sort());
	});
});

/** What the editor previews (docs/n8n-engine.md#output-schemas) must be what then comes out. */
describe('output schemas', () => {
	const sandbox = useSandbox();
	const outputOf = async (parameters: INodeParameters): Promise<IDataObject> => {
		const { outputs } = await sandbox.run(parameters);
		return outputs[0]?.[0]?.json ?? {};
	};

	test.each(['get', 'update'])('of %s have the types of the interface', (operation) => {
		const described = describedFields();
		for (const [field, { type, items }] of Object.entries(schemaOf(operation).properties)) {
			expect([field, type, items?.type]).toEqual([
				field,
				described[field]?.type,
				described[field]?.items?.type,
			]);
		}
	});

	test('of the trigger', async () => {
		const parameters = { instanceIds: String(SEED.completed), events: ['completed'] };
		const trigger = await createTrigger({ parameters, credentials: sandbox.credentials });
		const [sample = {}] = (await trigger.poll('manual')) ?? [];
		const { properties } = schemaAt('../../v1.0.0.json');
		const shapeOf = (value: object) =>
			Object.entries(value).map(([key, child]) => [key, typeOf(child)]);
		expect(shapeOf(sample)).toEqual(
			Object.entries(properties).map(([key, { type }]) => [key, type]),
		);
		expect(properties.instance).toEqual(expect.objectContaining({ type: 'object' }));
		expect(Object.keys(Object(sample.changes))).toEqual(
			Object.keys(Object(properties.changes).properties),
		);
		expect(Object(properties.instance).properties).toEqual(schemaOf('get').properties);
	});

	test.each<[string, INodeParameters]>([
		['get', { instanceId: locator(SEED.fullyFilled) }],
		['update', { instanceId: locator(SEED.fullyFilled), updateFields: { name: 'New' } }],
		['bulkDelete', { instanceIds: String(SEED.fullyFilled) }],
	])('of %s', async (operation, parameters) => {
		const output = await outputOf({ operation, ...parameters });
		const { properties } = schemaOf(operation);
		expect(Object.keys(output)).toEqual(Object.keys(properties));
		const filled = Object.entries(output).filter(([, value]) => value !== null);
		expect(filled.map(([key, value]) => [key, typeOf(value)])).toEqual(
			filled.map(([key]) => [key, properties[key]?.type]),
		);
	});
});
