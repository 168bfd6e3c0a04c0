import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { RunStopped } from '../api/pace/runStopped';
import { mapYielding } from './eventLoop';
import { type Call, type Memory, NodeRun } from './nodeRun';
import {
	asUserFacingError,
	logUnexpected,
	nodeError,
	outputItem,
	redacted,
	type Result,
} from './outputItems';
import { itemReader } from './parameters';

/** What the node does with all its input items. Gives what came of them, in their order. */
export type Operation = (run: NodeRun) => Promise<Result[]>;

/** Only the tries of Retry On Fail share execute data (docs/n8n-engine.md#retry-on-fail). */
const memories = new WeakMap<object, Memory>();

function newMemory(): Memory {
	return { deleted: new Set(), mayBeDone: new Set(), done: new Map() };
}

function memoryOf(executeData: object): Memory {
	const memory = memories.get(executeData) ?? newMemory();
	memories.set(executeData, memory);
	return memory;
}

/** The results of an operation; whatever it throws stands for all items that have not come out. */
async function resultsOf(operation: Operation, run: NodeRun): Promise<Result[]> {
	try {
		return await operation(run);
	} catch (cause) {
		if (cause instanceof RunStopped) return [];
		const error = asUserFacingError(cause);
		return run.items.map(({ index }) => ({ items: [index], error }));
	}
}

/**
 * Calls an operation, and gives its output items.
 *
 * @throws NodeApiError for the first item that could not be processed, unless the user chose to
 *   continue: then nothing is thrown, since n8n would pass on the input items
 *   (docs/n8n-engine.md#throwing-under-continue)
 */
async function call(operation: Operation, what: Call): Promise<INodeExecutionData[]> {
	const run = new NodeRun(what);
	try {
		const results = await resultsOf(operation, run);
		logUnexpected(
			results.flatMap((result) => ('error' in result ? [result.error] : [])),
			run.connection,
		);
		const { redact } = run.connection;
		if (!run.continues) {
			for (const result of results) {
				if (!('error' in result)) continue;
				throw nodeError(run.node, redacted(result.error, redact), Number(result.items[0]));
			}
		}
		return await mapYielding(results, (result) => outputItem(result, redact, run.node), run.clock);
	} finally {
		run.end();
	}
}

/**
 * The entry point of workflow runs, and of AI Agent 3: n8n calls it once with all items, through the
 * node's `customOperations` (docs/n8n-engine.md#custom-operations).
 */
export function customOperation(
	operation: Operation,
): (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> {
	return async function () {
		const inputs = this.getInputData().map(({ json }, index) => ({ index, json }));
		const reader = itemReader(this);
		const memory = memoryOf(this.getExecuteData());
		return [await call(operation, { context: this, inputs, reader, memory, clock: systemClock })];
	};
}

/**
 * The entry point of tools that know the node's routing only: AI Agent before 3, and the MCP Server
 * Trigger. They have one item. A pagination function is the one hook of n8n's declarative engine that
 * wraps the whole request of an item (docs/n8n-engine.md#pagination-function).
 */
export function routing(operation: Operation): INodePropertyRouting {
	const pagination = async function (
		this: IExecutePaginationFunctions,
	): Promise<INodeExecutionData[]> {
		const inputs = [{ index: this.getItemIndex(), json: this.getInputData().json }];
		const reader = { evaluate: (name: string) => this.getNodeParameter(name, null) };
		return await call(operation, {
			context: this,
			inputs,
			reader,
			memory: newMemory(),
			clock: systemClock,
		});
	};
	return { send: { paginate: true }, operations: { pagination } };
}
