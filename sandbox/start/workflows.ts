import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { rootFolder } from '../n8n/paths';
import { asWorkflow, newWorkflow, workflowNode } from '../n8n/workflowFile';
import type { Workflow } from '../n8n/workflowFile';
import { NODE_TYPE } from '../names';

export type StoredWorkflow = Workflow & { id: string };

const examplesFolder = join(rootFolder, 'examples');
const tourFile = 'tour.json';
const idLength = 13;
/** The name that n8n gives to a Manual Trigger. */
const manualTrigger = 'When clicking ‘Execute workflow’';

/** The same id for the same name on every start, so that a workflow is replaced, not doubled. */
function stableId(name: string): string {
	return `wis${createHash('sha256').update(name).digest('hex').slice(0, idLength)}`;
}

function readExample(file: string): StoredWorkflow {
	const parsed: unknown = JSON.parse(readFileSync(join(examplesFolder, file), 'utf8'));
	const workflow = asWorkflow(parsed, `examples/${file}`);
	return { ...workflow, id: workflow.id ?? stableId(basename(file, '.json')) };
}

/**
 * The workflows of the folder `examples`, and the one among them that is the tour.
 * @throws when a file there is not an exported workflow, or there is no tour
 */
export function readExamples(): { tour: StoredWorkflow; others: StoredWorkflow[] } {
	const files = readdirSync(examplesFolder).filter((file) => file.endsWith('.json'));
	const others = files.filter((file) => file !== tourFile).map(readExample);
	return { tour: readExample(tourFile), others };
}

/**
 * The tour for a service that is not the sandbox: it reads one instance and does nothing else.
 * @param instanceId the id of the instance
 */
export function readOnlyTour(instanceId: number): StoredWorkflow {
	const name = 'Workflow Instance Service: read-only tour';
	const get = {
		resource: 'instance',
		operation: 'get',
		instanceId: { __rl: true, mode: 'id', value: String(instanceId) },
	};
	const nodes = [
		workflowNode(manualTrigger, 'n8n-nodes-base.manualTrigger', 1, {}),
		workflowNode('Get Instance', NODE_TYPE, 1, get, [220, 0]),
	];
	return { ...newWorkflow(name, nodes), id: stableId(name) };
}
