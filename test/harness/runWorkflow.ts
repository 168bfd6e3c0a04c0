import { recordEvaluations } from './evaluations';
import { createWorkflow, execute, type ExecuteOptions } from './execute';
import { workflowRun, type WorkflowRun } from './runResult';
import { loadTypesOf } from './typeRegistry';
import type { WorkflowDefinition } from './workflow';

export interface RunOptions extends ExecuteOptions {
	/** The workflow's time zone, an IANA name. */
	timezone?: string;
}

/**
 * Runs a whole workflow in n8n's engine.
 *
 * @throws WorkflowHasIssuesError when n8n refuses to start it (a required parameter is empty)
 */
export async function runWorkflow(
	definition: WorkflowDefinition,
	{ timezone, ...options }: RunOptions = {},
): Promise<WorkflowRun> {
	await loadTypesOf(definition);
	const workflow = createWorkflow(definition, timezone);
	const evaluations = recordEvaluations(workflow);
	return workflowRun(await execute(workflow, definition, options), evaluations);
}
