import { WorkflowExecute } from 'n8n-core';
import { isExpression, Workflow, type IRun } from 'n8n-workflow';
import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { CREDENTIALS } from './defaults';
import { workflowRun, type WorkflowRun } from './runResult';
import { loadTypesOf, types } from './typeRegistry';
import { holdTime } from './virtualClock';
import type { WorkflowDefinition } from './workflow';

export interface ExecuteOptions {
	/** Data of every credential in the workflow. Default: `CREDENTIALS`. */
	credentials?: CredentialData;
	/** Aborting it stops the execution as the editor's stop button does. */
	signal?: AbortSignal;
}

export interface RunOptions extends ExecuteOptions {
	/** The workflow's time zone, an IANA name. */
	timezone?: string;
}

/**
 * n8n's in-memory form of a workflow. Nodes whose type needs a credential get one.
 *
 * @param timezone - IANA name; default: n8n's own default
 */
export async function createWorkflow(
	definition: WorkflowDefinition,
	timezone?: string,
): Promise<Workflow> {
	await loadTypesOf(definition);
	const nodes = definition.nodes.map((node) => {
		const wanted = types.getByNameAndVersion(node.type).description.credentials ?? [];
		const credentials = wanted.map(({ name }) => [name, { id: '1', name: 'Test' }] as const);
		return { ...node, credentials: Object.fromEntries(credentials) };
	});
	return new Workflow({
		id: '1',
		name: 'test',
		nodes,
		connections: definition.connections,
		active: false,
		nodeTypes: types,
		settings: { executionOrder: 'v1', ...(timezone !== undefined && { timezone }) },
	});
}

/**
 * Records every expression that n8n evaluates for a workflow, whichever engine runs it: all of
 * them pass through this one method of the workflow's WorkflowExpression.
 *
 * @returns the growing list of the names of the nodes they were evaluated for, in order
 */
export function recordEvaluations({ expression }: Workflow): string[] {
	const evaluations: string[] = [];
	const resolve = expression.resolveSimpleParameterValue.bind(expression);
	expression.resolveSimpleParameterValue = (...args) => {
		const [value, , , , , node] = args;
		if (typeof value === 'string' && isExpression(value)) evaluations.push(node);
		return resolve(...args);
	};
	return evaluations;
}

/**
 * Runs a workflow in n8n's WorkflowExecute, from its trigger.
 *
 * @throws WorkflowHasIssuesError when n8n refuses to start it (a required parameter is empty)
 */
export async function execute(
	workflow: Workflow,
	definition: WorkflowDefinition,
	{ credentials = CREDENTIALS, signal }: ExecuteOptions,
): Promise<IRun> {
	const data = additionalData(definition, 'manual', credentials);
	const goOn = holdTime();
	data.hooks?.addHandler('nodeExecuteBefore', goOn);
	data.hooks?.addHandler('workflowExecuteAfter', goOn);
	const engine = new WorkflowExecute(data, 'manual');
	const running = engine.run({ workflow, pinData: definition.pinData });
	signal?.addEventListener('abort', () => running.cancel(), { once: true });
	return await running;
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
	const goOn = holdTime();
	const workflow = await createWorkflow(definition, timezone);
	const evaluations = recordEvaluations(workflow);
	const running = execute(workflow, definition, options);
	goOn();
	return workflowRun(await running, evaluations);
}
