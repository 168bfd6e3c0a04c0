import { WorkflowExecute } from 'n8n-core';
import {
	type ExecutionError,
	type IDataObject,
	type INodeExecutionData,
	isExpression,
	Workflow,
} from 'n8n-workflow';

import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { loadPackage, types } from './typeRegistry';
import { holdTime } from './virtualClock';
import type { WorkflowDefinition } from './workflow';

export interface RunOptions {
	/** The data of every credential in the workflow. */
	credentials?: CredentialData;
	/** Aborting it stops the execution like the editor's stop button. */
	signal?: AbortSignal;
	timezone?: string;
}

/** n8n's in-memory form of a workflow. Nodes whose type needs a credential get one if they don't list any. */
export async function createWorkflow(
	definition: WorkflowDefinition,
	timezone?: string,
	staticData?: IDataObject,
): Promise<Workflow> {
	await loadPackage();
	const nodes = definition.nodes.map((node) => {
		const wanted = types.getByNameAndVersion(node.type).description.credentials ?? [];
		const credentials = wanted.map(({ name }) => [name, { id: '1', name: 'Test' }] as const);
		return { credentials: Object.fromEntries(credentials), ...node };
	});
	return new Workflow({
		id: '1',
		name: 'test',
		nodes,
		connections: definition.connections,
		active: false,
		nodeTypes: types,
		staticData,
		settings: { executionOrder: 'v1', ...(timezone !== undefined && { timezone }) },
	});
}

/**
 * The growing list of nodes, by name, for which n8n evaluates an expression. On both engines, all expressions
 * of a workflow pass through this one method.
 */
function recordEvaluations({ expression }: Workflow): string[] {
	const evaluations: string[] = [];
	const resolve = expression.resolveSimpleParameterValue.bind(expression);
	expression.resolveSimpleParameterValue = (...args) => {
		const [value, , , , , node] = args;
		if (typeof value === 'string' && isExpression(value)) evaluations.push(node);
		return resolve(...args);
	};
	return evaluations;
}

function runError(error: ExecutionError | undefined) {
	if (error === undefined) return undefined;
	// An error that wasn't one of n8n's when it was thrown has none of n8n's fields.
	const context: IDataObject = error.context ?? {};
	return {
		message: error.message,
		description: error.description ?? undefined,
		/** The item that the editor marks. */
		itemIndex: context.itemIndex,
		httpCode: 'httpCode' in error ? error.httpCode : undefined,
		context,
	};
}

/** Runs a workflow in n8n's WorkflowExecute, from its trigger. Throws when n8n refuses to start it. */
export async function runWorkflow(
	definition: WorkflowDefinition,
	{ credentials = {}, signal, timezone }: RunOptions = {},
) {
	const goOn = holdTime();
	const workflow = await createWorkflow(definition, timezone);
	const evaluations = recordEvaluations(workflow);
	const data = additionalData(definition, 'manual', credentials);
	data.hooks?.addHandler('nodeExecuteBefore', goOn);
	data.hooks?.addHandler('workflowExecuteAfter', goOn);
	const engine = new WorkflowExecute(data, 'manual');
	const running = engine.run({ workflow, pinData: definition.pinData });
	signal?.addEventListener('abort', () => running.cancel(), { once: true });
	const run = await running;
	const { resultData } = run.data;
	return {
		status: run.status,
		/** What happened to the node with this name; all empty if it didn't run. */
		node(name: string) {
			const tasks = resultData.runData[name] ?? [];
			const last = tasks.at(-1);
			const outputs = last?.data?.main ?? last?.data?.ai_tool ?? [];
			return {
				/** The items of each output in the node's last run: 0 is the success output, 1 the error output. */
				outputs: outputs.map((items): INodeExecutionData[] => items ?? []),
				/** One entry for each time the node ran (loops, tool calls), in order. */
				tasks,
				/** What n8n shows next to the output of the last run. */
				hints: (last?.hints ?? []).map(({ message }) => message),
				error: runError(last?.error),
				/** How many expressions n8n evaluated for the node in all its runs. */
				evaluations: evaluations.filter((node) => node === name).length,
			};
		},
		raw: run,
	};
}
