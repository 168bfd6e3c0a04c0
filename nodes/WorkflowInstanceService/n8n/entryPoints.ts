import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { asUserFacingError } from '../values/userFacingError';
import { createConnection, type RunContext } from './connection';
import { forEachYielding } from './eventLoop';
import { type InputItem, type NodeOperation, openRun } from './operation';
import { outputItem, type ItemResult } from './outputItems';
import { jsonReader, parameterReader, type Parameters } from './parameters';
import { RunMemory } from './runMemory';
import { JobRunner } from './runner';

const memories = new WeakMap<object, RunMemory>();

/** By execute data, which only the attempts of Retry On Fail share (docs/dev/n8n-engine.md#retry-on-fail). */
function memoryOf(executeData: object): RunMemory {
	const memory = memories.get(executeData) ?? new RunMemory();
	memories.set(executeData, memory);
	return memory;
}

/**
 * Carries out an operation, and returns its output items. It throws the first error, unless the user chose
 * to continue: then n8n would pass on the input items (docs/dev/n8n-engine.md#throwing-under-continue).
 */
async function carryOut(
	operation: NodeOperation,
	context: RunContext,
	memory: RunMemory,
	items: InputItem[],
	parameters: Parameters,
) {
	const node = context.getNode();
	const continues = context.continueOnFail();
	const { doubt } = operation;
	const sender = { continues: continues || node.retryOnFail === true, doubt };
	const connection = createConnection(context, sender);
	const resultsOf = async (): Promise<ItemResult[]> => {
		const run = await openRun(context, connection, memory, items, parameters);
		return await new JobRunner(operation, run).runAll();
	};
	const stop = context.getExecutionCancelSignal();
	stop?.addEventListener('abort', connection.leave);
	// Stopped between two attempts of Retry On Fail (docs/dev/n8n-engine.md#retry-on-fail).
	if (stop?.aborted) connection.leave();
	try {
		const results = await resultsOf().catch((cause: unknown): ItemResult[] => {
			// n8n throws away what a stopped run returns (docs/dev/n8n-engine.md#custom-operations).
			if (connection.signal.aborted) return [];
			const error = asUserFacingError(cause);
			return items.map(({ index }) => ({ items: [index], error }));
		});
		const failure = results.find((result) => 'error' in result);
		if (failure !== undefined && !continues) {
			throw connection.nodeError(failure.error, failure.items[0]);
		}
		const output: INodeExecutionData[] = [];
		await forEachYielding(results, (result) => {
			output.push(outputItem(result, connection.shown, node));
		});
		return output;
	} finally {
		stop?.removeEventListener('abort', connection.leave);
		connection.leave();
	}
}

/** Called once with all items, by workflow runs and AI Agent 3 (docs/dev/n8n-engine.md#custom-operations). */
export function customOperation(operation: NodeOperation) {
	return async function (this: IExecuteFunctions) {
		const evaluate = (name: string, item: number) => this.getNodeParameter(name, item, null);
		const parametersOf = parameterReader(this, evaluate, jsonReader(this));
		const items = this.getInputData().map((_, index) => ({
			index,
			parameters: parametersOf(index),
		}));
		const memory = memoryOf(this.getExecuteData());
		return [await carryOut(operation, this, memory, items, parametersOf(0))];
	};
}

/** Called with one item, by AI Agent before 3 and MCP (docs/dev/n8n-engine.md#pagination-function). */
export function routing(operation: NodeOperation): INodePropertyRouting {
	const pagination = async function (this: IExecutePaginationFunctions) {
		const index = this.getItemIndex();
		const evaluate = (name: string) => this.getNodeParameter(name, null);
		const parameters = parameterReader(this, evaluate)(index);
		return await carryOut(operation, this, new RunMemory(), [{ index, parameters }], parameters);
	};
	return { send: { paginate: true }, operations: { pagination } };
}
