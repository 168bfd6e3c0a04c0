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
import { outputItem, type Result } from './outputItems';
import { jsonReader, maxWaitOf, parameterReader, type Parameters } from './parameters';
import { requestOptions } from './requestOptions';
import { RunMemory } from './runMemory';
import { type InputItem, type NodeRun, type Operation, runJobs } from './runner';

/** An operation of the node, for all its runs. */
export interface NodeOperation {
	/** What to say of an error after which a change may have been made. */
	doubt: string;
	begin(run: NodeRun): Operation;
}

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
	{ begin, doubt }: NodeOperation,
	context: RunContext,
	items: InputItem[],
	parameters: Parameters,
	memory: RunMemory,
) {
	const startedAt = systemClock.elapsed();
	const node = context.getNode();
	const continues = context.continueOnFail();
	const options = () => requestOptions(parameters);
	const sender = { continues: continues || node.retryOnFail === true, doubt };
	const connection = createConnection(context, sender, () => options().http);

	const resultsOf = async (): Promise<Result[]> => {
		const { baseUrl, within } = await connection.open();
		const { delayOf } = options();
		const run: NodeRun = {
			items,
			parameters,
			connection,
			memory,
			baseUrl,
			continues,
			// n8n has a type of its own for a node that is used as a tool.
			isTool: node.type.endsWith('Tool'),
			serviceFor: (own) => within(maxWaitOf(own), memory.mayBeDone),
			async waitForBatch(item) {
				const delay = startedAt + delayOf(item) - systemClock.elapsed();
				if (delay > 0) await systemClock.sleep(delay, connection.signal);
			},
			hint(message) {
				if (!('addExecutionHints' in context)) return;
				context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
			},
		};
		return await runJobs(begin(run), run);
	};

	const stop = context.getExecutionCancelSignal();
	stop?.addEventListener('abort', connection.leave);
	// Stopped between two attempts of Retry On Fail (docs/dev/n8n-engine.md#retry-on-fail).
	if (stop?.aborted) connection.leave();
	try {
		const results = await resultsOf().catch((cause: unknown): Result[] => {
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
