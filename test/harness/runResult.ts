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
	/** What happened to the node of that name; all empty when it did not run. */
	node(name: string): NodeRun;
	/** n8n's own record of the execution. */
	raw: IRun;
}

function runError(error: ExecutionError | undefined): RunError | undefined {
	if (error === undefined) return undefined;
	// An error that was no n8n error when it was thrown has none of n8n's fields.
	const context: IDataObject | undefined = error.context;
	const itemIndex = context?.itemIndex;
	const httpCode: unknown = Reflect.get(error, 'httpCode');
	return {
		name: error.name,
		message: error.message,
		description: error.description ?? undefined,
		itemIndex: typeof itemIndex === 'number' ? itemIndex : undefined,
		httpCode: typeof httpCode === 'string' ? httpCode : undefined,
		context: context ?? {},
		raw: error,
	};
}

/**
 * Wraps n8n's record of an execution for assertions.
 *
 * @param evaluations the name of the node of each expression that was evaluated
 */
export function workflowRun(run: IRun, evaluations: string[]): WorkflowRun {
	const { resultData } = run.data;
	return {
		status: run.status,
		error: runError(resultData.error),
		node(name) {
			const tasks = resultData.runData[name] ?? [];
			const last = tasks.at(-1);
			const data = last?.data?.main ?? last?.data?.ai_tool ?? [];
			return {
				outputs: data.map((items) => items ?? []),
				tasks,
				error: runError(last?.error),
				evaluations: evaluations.filter((node) => node === name).length,
			};
		},
		raw: run,
	};
}
