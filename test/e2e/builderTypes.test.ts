import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import ts from 'typescript';

import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { ensureN8n } from '../../sandbox/n8n/install';
import { n8nFolder } from '../../sandbox/n8n/paths';
import { NODE_TYPE, TRIGGER_TYPE } from '../../sandbox/names';
import { IS_OLDEST } from './support/stack';

const SDK = join(n8nFolder, 'node_modules/@n8n/workflow-sdk');
const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-types-'));
beforeAll(async () => await ensureN8n(), 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the types that n8n's AI builder knows nodes by, and what they take for given. */
async function writeTypes(): Promise<void> {
	const { orchestrateGeneration } = await import(`${SDK}/dist/generate-types/generate-types.js`);
	const nodes = [
		{ ...new WorkflowInstanceService().description, name: NODE_TYPE },
		{ ...new WorkflowInstanceServiceTrigger().description, name: TRIGGER_TYPE },
	];
	await orchestrateGeneration({ nodes, outputDir: folder });
	const given = `
type Expression<T> = \`={{\${string}}}\` & { of?: T };
type Items<T> = Array<{ json: T }>;
type CredentialReference = import('@n8n/workflow-sdk').CredentialReference;
type NodeConfig<T> = import('@n8n/workflow-sdk').NodeConfig<T>;`;
	writeFileSync(join(folder, 'given.d.ts'), given);
}

const WORKFLOWS = `
import { node, trigger, workflow } from '@n8n/workflow-sdk';
import type { WorkflowInstanceServiceNode as Service, WorkflowInstanceServiceTriggerNode as Trigger } from '.';

const credentials = { workflowInstanceServiceApi: { id: '1', name: 'Service' } };
const instance = { resource: 'instance' } as const;
const instanceId = { __rl: true, mode: 'id', value: '={{ $json.id }}' } as const;

const onCompleted: Trigger = {
	type: '${TRIGGER_TYPE}',
	version: 1,
	isTrigger: true,
	config: { parameters: { instanceIds: '12, 15', events: ['completed', 'overdue'] }, credentials },
};
const service = { type: '${NODE_TYPE}', version: 1 } as const;
const get: Service['config']['parameters'] = {
	...instance,
	operation: 'get',
	instanceId,
	output: 'selected',
	outputFields: ['name', 'stage'],
};
const update: Service['config']['parameters'] = {
	...instance,
	operation: 'update',
	instanceId,
	updateFields: { addTags: 'late', deadline: '={{ $now.plus(3, "days") }}', priority: 'V' },
	clearFields: ['name'],
};
const clean: Service['config']['parameters'] = {
	...instance,
	operation: 'bulkDelete',
	idSource: 'inputField',
	idField: 'instance_id',
	options: { onEmpty: 'nothing', batchSize: 50 },
};
export const all = workflow('1', 'All')
	.add(trigger(onCompleted))
	.to(node({ ...service, config: { parameters: get, credentials } }))
	.to(node({ ...service, config: { parameters: update, credentials } }))
	.to(node({ ...service, config: { parameters: clean, credentials } }));

export const wrong: Array<NonNullable<Service['config']['parameters'] | Trigger['config']['parameters']>> = [
	// @ts-expect-error nothing lists instances
	{ ...instance, operation: 'getAll' },
	// @ts-expect-error nothing creates one
	{ ...instance, operation: 'create' },
	// @ts-expect-error an option of Bulk Delete
	{ ...instance, operation: 'get', options: { dryRun: true } },
	// @ts-expect-error no event
	{ instanceIds: '12', events: ['created'] },
];
`;

/** What the compiler has to say of the workflows. */
function compile(): string[] {
	writeFileSync(join(folder, 'workflows.ts'), WORKFLOWS);
	const files = ['given.d.ts', 'workflows.ts'].map((name) => join(folder, name));
	const program = ts.createProgram(files, {
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.CommonJS,
		moduleResolution: ts.ModuleResolutionKind.Node10,
		types: [],
		paths: { '@n8n/workflow-sdk': [join(SDK, 'dist/index.d.ts')] },
	});
	return ts
		.getPreEmitDiagnostics(program)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

// The oldest n8n has no types for community nodes.
const inNewest = IS_OLDEST ? test.skip : test;

inNewest('a workflow compiles with the types that n8n makes of both nodes', async () => {
	await writeTypes();
	expect(compile()).toEqual([]);
});
