import { WorkflowExecute } from 'n8n-core';
import {
	type ExecutionError,
	type IDataObject,
	type INodeExecutionData,
	type IRun,
	isExpression,
	Workflow,
} from 'n8n-workflow';

import { additionalData } from './additionalData';
import { type CredentialData, CREDENTIALS } from './credentialsHelper';
import { loadPackage, types } from './typeRegistry';
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
	await loadPackage();
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

/** An error as the editor shows it. */
function runError(error: ExecutionError | undefined) {
	if (error === undefined) return undefined;
	// An error that was no n8n error when it was thrown has none of n8n's fields.
	const context: IDataObject = error.context ?? {};
	const { itemIndex } = context;
	const httpCode: unknown = Reflect.get(error, 'httpCode');
	return {
		/** `NodeApiError`, `NodeOperationError`, … */
		name: error.name,
		message: error.message,
		description: error.description ?? undefined,
		/** The item that the editor marks. */
		itemIndex: typeof itemIndex === 'number' ? itemIndex : undefined,
		httpCode: typeof httpCode === 'string' ? httpCode : undefined,
		context,
		/** All that n8n keeps of the error, the cause with the request included. */
		raw: error,
	};
}

/**
 * Wraps n8n's record of an execution for assertions.
 *
 * @param evaluations the name of the node of each expression that was evaluated
 */
export function workflowRun(run: IRun, evaluations: string[]) {
	const { resultData } = run.data;
	return {
		status: run.status,
		/** The error that ended the execution. */
		error: runError(resultData.error),
		/** What happened to the node of that name; all empty when it did not run. */
		node(name: string) {
			const tasks = resultData.runData[name] ?? [];
			const last = tasks.at(-1);
			const data = last?.data?.main ?? last?.data?.ai_tool ?? [];
			return {
				/** Items of each output in the node's last run: 0 is the success, 1 the error output. */
				outputs: data.map((items): INodeExecutionData[] => items ?? []),
				/** One entry for each time the node ran (loops, tool calls), in order. */
				tasks,
				/** The error that stopped the node. */
				error: runError(last?.error),
				/** Number of expressions that n8n evaluated for the node, all its runs together. */
				evaluations: evaluations.filter((node) => node === name).length,
			};
		},
		/** n8n's own record of the execution. */
		raw: run,
	};
}

export type WorkflowRun = ReturnType<typeof workflowRun>;
/** What happened to one node in a run. */
export type NodeRun = ReturnType<WorkflowRun['node']>;

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
