import type { INodeParameters } from 'n8n-workflow';

import { isRecord, textAt } from '../../../sandbox/guards';
import type { Execution } from '../../../sandbox/n8n/executions';
import { newWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { TRIGGER_TYPE } from '../../../sandbox/names';
import { jsonOf, type Stack } from './stack';

const EVERY_MINUTE = { pollTimes: { item: [{ mode: 'everyMinute' }] } };

/** A workflow of the trigger alone, polled every minute. */
export function triggerWorkflow(parameters: INodeParameters): Workflow {
	const trigger = workflowNode('Trigger', TRIGGER_TYPE, 1, { ...EVERY_MINUTE, ...parameters });
	return newWorkflow('Trigger', [trigger]);
}

/** Publishes a stored workflow, as the button in the editor does. */
export async function publish({ n8n: { rest } }: Stack, id: string): Promise<void> {
	const versionId = textAt(await rest.call('GET', `/workflows/${id}`), 'versionId', 'The workflow');
	await rest.call('POST', `/workflows/${id}/activate`, { versionId });
}

/** Takes a published workflow back. */
export async function unpublish({ n8n: { rest } }: Stack, id: string): Promise<void> {
	await rest.call('POST', `/workflows/${id}/deactivate`, {});
}

/** The runs of a workflow, the first one first, as soon as all have ended. */
export async function runsOf({ n8n: { rest } }: Stack, id: string): Promise<Execution[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
	const answer = await rest.call('GET', `/executions?filter=${filter}&limit=100`);
	const results: unknown[] =
		isRecord(answer) && Array.isArray(answer.results) ? answer.results : [];
	const ids = results.map((result) => Number(textAt(result, 'id', 'An execution')));
	const inOrder = ids.sort((a, b) => a - b).map(String);
	return await Promise.all(inOrder.map(async (run) => await rest.waitForExecution(run)));
}

/** What a node gave in each ended run of a workflow. */
export async function emissions(stack: Stack, id: string, node = 'Trigger') {
	return (await runsOf(stack, id)).map((run) => jsonOf(run, node));
}
