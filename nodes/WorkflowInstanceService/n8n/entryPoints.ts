import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { createConnection, type RunContext } from './connection';
import { asUserFacingError } from './errorText';
import { forEachYielding } from './eventLoop';
import type { InputItem, NodeOperation, NodeRun } from './operation';
import { outputItem, type ItemResult } from './outputItems';
import { jsonReader, maxWaitOf, parameterReader, type Parameters } from './parameters';
import { batchDelay, httpOptions } from './requestOptions';
import { RunMemory } from './runMemory';
import { runJobs } from './runner';

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
	items: InputItem[],
	parameters: Parameters,
	memory: RunMemory,
) {
	const startedAt = systemClock.elapsed();
	const node = context.getNode();
	const continues = context.continueOnFail();
	const { doubt } = operation;
	const sender = { continues: continues || node.retryOnFail === true, doubt };
	const connection = createConnection(context, sender);

	const resultsOf = async (): Promise<ItemResult[]> => {
		const { baseUrl, serviceWith } = await connection.open();
		const delayOf = batchDelay(parameters);
		const run: NodeRun = {
			items,
			parameters,
			connection,
			memory,
			baseUrl,
			continues,
			// n8n has a type of its own for a node that is used as a tool.
			isTool: node.type.endsWith('Tool'),
			serviceFor(own) {
				const http = httpOptions(own);
				return serviceWith(() => http, maxWaitOf(own), memory.mayBeDone);
			},
			async waitForBatch(item) {
				const delay = startedAt + delayOf(item) - systemClock.elapsed();
				if (delay > 0) await systemClock.sleep(delay, connection.signal);
			},
			hint(message) {
				if (!('addExecutionHints' in context)) return;
				context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
			},
		};
		return await runJobs(operation, run);
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
		const failed = results.filter((result) => 'error' in result);
		const [first] = failed;
		if (first !== undefined && !continues) throw connection.nodeError(first.error, first.items[0]);
		connection.logUnexpected(failed.map(({ error }) => error));
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
		return [await carryOut(operation, this, items, parametersOf(0), memory)];
	};
}

/** Called with one item, by AI Agent before 3 and MCP (docs/dev/n8n-engine.md#pagination-function). */
export function routing(operation: NodeOperation): INodePropertyRouting {
	const pagination = async function (this: IExecutePaginationFunctions) {
		const index = this.getItemIndex();
		const evaluate = (name: string) => this.getNodeParameter(name, null);
		const parameters = parameterReader(this, evaluate)(index);
		return await carryOut(operation, this, [{ index, parameters }], parameters, new RunMemory());
	};
	return { send: { paginate: true }, operations: { pagination } };
}
