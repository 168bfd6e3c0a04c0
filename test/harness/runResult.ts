import type {
	ExecutionError,
	ExecutionStatus,
	IDataObject,
	INodeExecutionData,
	IRun,
	ITaskData,
} from 'n8n-workflow';

/** An error as the editor shows it. */
export interface RunError {
	/** `NodeApiError`, `NodeOperationError`, … */
	name: string;
	message: string;
	description: string | undefined;
	/** The item that the editor marks. */
	itemIndex: number | undefined;
	httpCode: string | undefined;
	context: IDataObject;
	/** All that n8n keeps of the error, the cause with the request included. */
	raw: ExecutionError;
}

/** One evaluation of an expression by n8n. */
export interface Evaluation {
	node: string;
	/** Without the leading `=`. */
	expression: string;
	itemIndex: number;
}

/** What happened to one node in a run. */
export interface NodeRun {
	/** Items of each output in the node's last run: 0 is the success, 1 the error output. */
	outputs: INodeExecutionData[][];
	/** One entry for each time the node ran (loops, tool calls), in order. */
	tasks: ITaskData[];
	/** The error that stopped the node. */
	error: RunError | undefined;
	/** Number of expressions that n8n evaluated for the node, all its runs together. */
	evaluations: number;
}

export interface WorkflowRun {
	status: ExecutionStatus;
	/** The error that ended the execution. */
	error: RunError | undefined;
	/** In order, for all nodes. */
	evaluations: Evaluation[];
	/** What happened to the node of that name; all empty when it did not run. */
	node(name: string): NodeRun;
	/** n8n's own record of the execution. */
	raw: IRun;
}

function stringOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function runError(error: ExecutionError | undefined): RunError | undefined {
	if (error === undefined) return undefined;
	// An error that was no n8n error when it was thrown has none of n8n's fields.
	const context: IDataObject | undefined = error.context;
	const itemIndex = context?.itemIndex;
	return {
		name: error.name,
		message: error.message,
		description: error.description ?? undefined,
		itemIndex: typeof itemIndex === 'number' ? itemIndex : undefined,
		httpCode: stringOf(Reflect.get(error, 'httpCode')),
		context: context ?? {},
		raw: error,
	};
}

function nodeRun(tasks: ITaskData[], evaluations: number): NodeRun {
	const last = tasks.at(-1);
	const data = last?.data?.main ?? last?.data?.ai_tool ?? [];
	return {
		outputs: data.map((items) => items ?? []),
		tasks,
		error: runError(last?.error),
		evaluations,
	};
}

/** Wraps n8n's record of an execution for assertions. */
export function workflowRun(run: IRun, evaluations: Evaluation[]): WorkflowRun {
	const { resultData } = run.data;
	return {
		status: run.status,
		error: runError(resultData.error),
		evaluations,
		node: (name) =>
			nodeRun(
				resultData.runData[name] ?? [],
				evaluations.filter((evaluation) => evaluation.node === name).length,
			),
		raw: run,
	};
}
