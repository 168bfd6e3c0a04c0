import type { ExecutionError, IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

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
