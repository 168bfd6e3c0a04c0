import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { forEachYielding } from './eventLoop';
import { createNodeRun, type Memory, type NodeRun } from './nodeRun';
import {
	asUserFacingError,
	logUnexpected,
	nodeError,
	outputItem,
	type Result,
} from './outputItems';
import { itemReader } from './parameters';

/** What the node does with all its input items. Returns the results, in the order of the items. */
export type Operation = (run: NodeRun) => Promise<Result[]>;

/** Only the tries of Retry On Fail share execute data (docs/dev/n8n-engine.md#retry-on-fail). */
const memories = new WeakMap<object, Memory>();

function newMemory(): Memory {
	return { deleted: new Set(), mayBeDone: new Set(), done: new Map() };
}

function memoryOf(executeData: object): Memory {
	const memory = memories.get(executeData) ?? newMemory();
	memories.set(executeData, memory);
	return memory;
}

/** The results of an operation; whatever it throws is the result of each item. */
async function resultsOf(operation: Operation, run: NodeRun): Promise<Result[]> {
	try {
		return await operation(run);
	} catch (cause) {
		// n8n throws away what a stopped run returns (docs/dev/n8n-engine.md#custom-operations).
		if (run.connection.isStopped) return [];
		const error = asUserFacingError(cause);
		return run.items.map(({ index }) => ({ items: [index], error }));
	}
}

/**
 * Carries out an operation, and returns its output items.
 *
 * @throws NodeApiError for the first item that could not be processed, unless the user chose to
 *   continue: then nothing is thrown, since n8n would pass on the input items
 *   (docs/dev/n8n-engine.md#throwing-under-continue)
 */
async function carryOut(operation: Operation, run: NodeRun): Promise<INodeExecutionData[]> {
	const { node, connection, continues } = run;
	try {
		const results = await resultsOf(operation, run);
		const failed = results.filter((result) => 'error' in result);
		const errors = failed.map(({ error }) => error);
		logUnexpected(errors, connection);
		const [first] = failed;
		if (first !== undefined && !continues) {
			throw nodeError(node, first.error, connection.redact, Number(first.items[0]));
		}
		const output: INodeExecutionData[] = [];
		await forEachYielding(results, (result) => {
			output.push(outputItem(result, connection.redact, node));
		});
		return output;
	} finally {
		run.end();
	}
}

/**
 * The entry point of workflow runs, and of AI Agent 3: n8n calls it once with all items, through the
 * node's `customOperations` (docs/dev/n8n-engine.md#custom-operations).
 */
export function customOperation(
	operation: Operation,
): (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> {
	return async function () {
		const inputs = this.getInputData().map(({ json }, index) => ({ index, json }));
		const reader = itemReader(this);
		const memory = memoryOf(this.getExecuteData());
		return [await carryOut(operation, createNodeRun(this, inputs, reader, memory))];
	};
}

/**
 * The entry point of tools that know the node's routing only: AI Agent before 3, and the MCP Server
 * Trigger. They have one item. A pagination function is the one hook of n8n's declarative engine that
 * wraps the whole request of an item (docs/dev/n8n-engine.md#pagination-function).
 */
export function routing(operation: Operation): INodePropertyRouting {
	const pagination = async function (
		this: IExecutePaginationFunctions,
	): Promise<INodeExecutionData[]> {
		const inputs = [{ index: this.getItemIndex(), json: this.getInputData().json }];
		const reader = { evaluate: (name: string) => this.getNodeParameter(name, null) };
		return await carryOut(operation, createNodeRun(this, inputs, reader, newMemory()));
	};
	return { send: { paginate: true }, operations: { pagination } };
}
