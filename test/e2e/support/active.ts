import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { isRecord, textAt } from '../../../sandbox/guards';
import { newWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { TRIGGER_TYPE } from '../../../sandbox/names';
import { jsonOf, type Stack } from './stack';

const EVERY_MINUTE = { pollTimes: { item: [{ mode: 'everyMinute' }] } };

export function triggerWorkflow(parameters: INodeParameters): Workflow {
	const trigger = workflowNode('Trigger', TRIGGER_TYPE, 1, { ...EVERY_MINUTE, ...parameters });
	return newWorkflow('Trigger', [trigger]);
}

export async function publish({ n8n: { rest } }: Stack, id: string): Promise<void> {
	const versionId = textAt(await rest.call('GET', `/workflows/${id}`), 'versionId', 'The workflow');
	await rest.call('POST', `/workflows/${id}/activate`, { versionId });
}

export async function unpublish({ n8n: { rest } }: Stack, id: string): Promise<void> {
	await rest.call('POST', `/workflows/${id}/deactivate`, {});
}

/** What a node returned in each run of a workflow, oldest first, once all have ended. */
export async function emissions(
	{ n8n: { rest } }: Stack,
	id: string,
	node = 'Trigger',
): Promise<IDataObject[][]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
	const response = await rest.call('GET', `/executions?filter=${filter}&limit=100`);
	const results: unknown[] = isRecord(response) ? [response.results].flat() : [];
	const runs = results.map((result) => Number(textAt(result, 'id', 'An execution')));
	const inOrder = runs.sort((a, b) => a - b).map(String);
	const ended = await Promise.all(inOrder.map(async (run) => await rest.waitForExecution(run)));
	return ended.map((run) => jsonOf(run, node));
}
