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

/** A workflow as n8n's AI builder writes it, and what the types of the nodes take for given. */
const WORKFLOW = `
import { node, trigger, workflow } from '@n8n/workflow-sdk';
import type { WorkflowInstanceServiceNode as Service, WorkflowInstanceServiceTriggerNode as Trigger } from '.';

declare global {
	type Expression<T> = \`={{\${string}}}\` & { of?: T };
	type Items<T> = Array<{ json: T }>;
	type CredentialReference = import('@n8n/workflow-sdk').CredentialReference;
	type NodeConfig<T> = import('@n8n/workflow-sdk').NodeConfig<T>;
}
type Parameters = NonNullable<Service['config']['parameters']>;
const instance = { resource: 'instance' } as const;
const instanceId = { __rl: true, mode: 'id', value: '={{ $json.id }}' } as const;
const all: Parameters[] = [
	{ ...instance, operation: 'get', instanceId, output: 'selected', outputFields: ['name', 'stage'] },
	{
		...instance,
		operation: 'update',
		instanceId,
		updateFields: { addTags: 'late', deadline: '={{ $now.plus(3, "days") }}', priority: 'V' },
		clearFields: ['name'],
	},
	{
		...instance,
		operation: 'bulkDelete',
		idSource: 'inputField',
		idField: 'instance_id',
		options: { onEmpty: 'nothing', batchSize: 50 },
	},
];
const credentials = { workflowInstanceServiceApi: { id: '1', name: 'Service' } };
const service = { type: '${NODE_TYPE}', version: 1 } as const;
const onEvent: Trigger = {
	type: '${TRIGGER_TYPE}',
	version: 1,
	isTrigger: true,
	config: { parameters: { instanceIds: '12, 15', events: ['completed', 'overdue'] }, credentials },
};
workflow('1', 'All')
	.add(trigger(onEvent))
	.to(all.map((parameters) => node({ ...service, config: { parameters, credentials } })));

// @ts-expect-error nothing lists instances
export const wrong: Parameters = { ...instance, operation: 'getAll' };
`;

// The oldest n8n has no types for community nodes.
const inNewest = IS_OLDEST ? test.skip : test;

inNewest('a workflow compiles with the types that n8n makes of both nodes', async () => {
	const { orchestrateGeneration } = await import(`${SDK}/dist/generate-types/generate-types.js`);
	const nodes = [
		{ ...new WorkflowInstanceService().description, name: NODE_TYPE },
		{ ...new WorkflowInstanceServiceTrigger().description, name: TRIGGER_TYPE },
	];
	await orchestrateGeneration({ nodes, outputDir: folder });
	const file = join(folder, 'workflow.ts');
	writeFileSync(file, WORKFLOW);
	const program = ts.createProgram([file], {
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		types: [],
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.CommonJS,
		moduleResolution: ts.ModuleResolutionKind.Node10,
		paths: { '@n8n/workflow-sdk': [join(SDK, 'dist/index.d.ts')] },
	});
	const found = ts.getPreEmitDiagnostics(program);
	expect(ts.formatDiagnostics(found, ts.createCompilerHost({}))).toBe('');
});
