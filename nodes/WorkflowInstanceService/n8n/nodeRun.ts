import type {
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { createConnection, type RunContext } from './connection';
import { forEachYielding } from './eventLoop';
import { asUserFacingError, outputItem, type Result } from './outputItems';
import { jsonReader, parameterReader, type Parameters } from './parameters';
import { requestOptions } from './requestOptions';

/** What the attempts of Retry On Fail share. */
export interface Memory {
	/** IDs that are deleted: they must not be sent again. */
	deleted: Set<number>;
	/** What may have been done: IDs for Bulk Delete, indexes of items for Update. */
	mayBeDone: Set<number>;
	/** What has been done for an item, by its index: it must not be done again. */
	done: Map<number, { input: IDataObject; output: IDataObject }>;
}

const memories = new WeakMap<object, Memory>();

/** By execute data, which only these attempts share (docs/dev/n8n-engine.md#retry-on-fail). */
function memoryOf(executeData: object): Memory {
	const empty: Memory = { deleted: new Set(), mayBeDone: new Set(), done: new Map() };
	const memory = memories.get(executeData) ?? empty;
	memories.set(executeData, memory);
	return memory;
}

export type NodeRun = ReturnType<typeof createNodeRun>;
export type InputItem = NodeRun['items'][number];

/** What the node does with all its input items. Returns the results, in the order of the items. */
export type Operation = (run: NodeRun) => Promise<Result[]>;

function createNodeRun(
	context: RunContext,
	inputs: Array<{ index: number; json: IDataObject }>,
	parametersOf: (item: number) => Parameters,
	memory: Memory,
) {
	const node = context.getNode();
	const startedAt = systemClock.elapsed();
	const parameters = parametersOf(0);
	const continues = context.continueOnFail();
	let options: ReturnType<typeof requestOptions> | undefined;
	const chosen = () => (options ??= requestOptions(parameters));
	const connection = createConnection(context, { continues }, () => chosen().http);
	return {
		node,
		items: inputs.map((input) => ({ ...input, parameters: parametersOf(input.index) })),
		/** Of the first item, where one value applies to the whole run. */
		parameters,
		/** Whether the user chose to continue when an item cannot be processed. */
		continues,
		memory,
		connection,
		/** Whether an AI agent uses the node as a tool: n8n then has a type of its own for it. */
		isTool: node.type.endsWith('Tool'),

		/** Waits until it is an item's time by n8n's own Batching. */
		async waitForBatch(index: number): Promise<void> {
			const delay = startedAt + chosen().delayOf(index) - systemClock.elapsed();
			if (delay > 0) await systemClock.sleep(delay, connection.signal);
		},

		/** Shows a hint beside the output, where n8n can. */
		hint(message: string): void {
			if (!('addExecutionHints' in context)) return;
			context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
		},
	};
}

/**
 * Carries out an operation, and returns its output items. It throws the first error, unless the user chose
 * to continue: then n8n would pass on the input items (docs/dev/n8n-engine.md#throwing-under-continue).
 */
async function carryOut(operation: Operation, run: NodeRun, stop: AbortSignal | undefined) {
	const { node, items, connection, continues } = run;
	stop?.addEventListener('abort', connection.leave);
	// Stopped between two attempts of Retry On Fail (docs/dev/n8n-engine.md#retry-on-fail).
	if (stop?.aborted) connection.leave();
	try {
		const results = await operation(run).catch((cause: unknown): Result[] => {
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
			output.push(outputItem(result, connection.redact, node));
		});
		return output;
	} finally {
		stop?.removeEventListener('abort', connection.leave);
		connection.leave();
	}
}

/** Called once with all items, by workflow runs and AI Agent 3 (docs/dev/n8n-engine.md#custom-operations). */
export function customOperation(operation: Operation) {
	return async function (this: IExecuteFunctions) {
		const inputs = this.getInputData().map(({ json }, index) => ({ index, json }));
		const evaluate = (name: string, item: number) => this.getNodeParameter(name, item, null);
		const parametersOf = parameterReader(this, evaluate, jsonReader(this));
		const run = createNodeRun(this, inputs, parametersOf, memoryOf(this.getExecuteData()));
		return [await carryOut(operation, run, this.getExecutionCancelSignal())];
	};
}

/** Called with one item, by AI Agent before 3 and MCP (docs/dev/n8n-engine.md#pagination-function). */
export function routing(operation: Operation): INodePropertyRouting {
	const pagination = async function (this: IExecutePaginationFunctions) {
		const inputs = [{ index: this.getItemIndex(), json: this.getInputData().json }];
		const parametersOf = parameterReader(this, (name) => this.getNodeParameter(name, null));
		const run = createNodeRun(this, inputs, parametersOf, memoryOf(inputs));
		return await carryOut(operation, run, this.getExecutionCancelSignal());
	};
	return { send: { paginate: true }, operations: { pagination } };
}
