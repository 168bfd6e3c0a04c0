import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INode,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { forEachYielding } from '../api/clock';
import { withoutUndefined } from '../values/json';
import { shortened } from '../values/text';
import { asUserFacingError, type UserFacingError } from '../values/userFacingError';
import { errorAbout, withReport } from './advice';
import { createConnection } from './connection';
import { ExecutionMemory, type ItemResult } from './executionMemory';
import { inputItemReader } from './inputItem';
import { type Items, type NodeOperation, prepareExecution, showHint } from './operation';
import { parameterReader } from './parameterReader';
import type { ItemParameters } from './parameters';
import { JobRunner } from './runner';
import { continuesOnError, type ExecuteContext, isTool } from './transport';

/** By execute data, which only the attempts of Retry On Fail share (docs/dev/n8n-engine.md#retry-on-fail). */
const memories = new WeakMap<object, ExecutionMemory>();

type PairedItem = INodeExecutionData['pairedItem'];

/** Output items from the same list of input items share one pairing object, which n8n saves only once. */
const pairings = new WeakMap<readonly number[], PairedItem>();

function pairedTo(itemIndexes: readonly number[]): PairedItem {
	const cached = pairings.get(itemIndexes);
	if (cached !== undefined) return cached;
	const pairs = itemIndexes.map((item) => ({ item }));
	const pairing = pairs.length === 1 ? pairs[0] : pairs;
	pairings.set(itemIndexes, pairing);
	return pairing;
}

/**
 * The output item of a result. On its way to the error output, an error item may have no keys but `error`
 * and `details`, and n8n adds the fields of the input item to it (docs/dev/n8n-engine.md#error-items).
 */
export function outputItem(
	result: ItemResult,
	forDisplay: (error: UserFacingError) => UserFacingError,
	{ onError }: Pick<INode, 'onError'>,
): INodeExecutionData {
	const pairedItem = pairedTo(result.itemIndexes);
	if ('json' in result) return { json: result.json, pairedItem };
	const [item] = result.itemIndexes;
	const { message: error, advice: description, httpCode, id } = forDisplay(result.error);
	const ofInstance = withoutUndefined({ id });
	const facts = { description, item, ...withoutUndefined({ httpCode }) };
	if (onError !== 'continueErrorOutput') {
		return { json: { ...ofInstance, error, details: facts }, pairedItem };
	}
	const errorItem = { json: { error, details: { ...facts, ...ofInstance } }, pairedItem };
	// n8n before 2.36 only moves an item with `details` to the error output if it has an `error` next to its
	// json. It isn't enumerable, so that n8n finds it, but doesn't copy it over the json.
	return Object.defineProperty(errorItem, 'error', { value: { message: error } });
}

/** The hint next to the output about items that failed. */
function hintOnFailures(failed: number, all: number, { onError }: INode): string {
	const summary = `${failed} of ${all} items failed`;
	if (onError !== 'continueErrorOutput') return `${summary}. See the error field of each.`;
	const onLoop =
		failed === all ? ' If this node is in a loop, connect that branch back to the loop, too.' : '';
	return `${summary}. See the Error Branch.${onLoop}`;
}

/** The results if an attempt can't begin: for each instance, that of an earlier attempt of Retry On Fail or the error. */
async function resultsWithoutAttempt(
	items: readonly ItemParameters[],
	{ writes, idOf }: NodeOperation,
	error: UserFacingError,
	memory: ExecutionMemory,
	continues: boolean,
): Promise<ItemResult[]> {
	if (error.kind === 'stopped') return [];
	const results = [...memory.targets.values()].map((target): ItemResult => {
		const { itemIndexes, result } = target;
		return result ?? { itemIndexes, error: errorAbout(target, [target], error, writes) };
	});
	const indexesWithResult = new Set(results.flatMap((result) => result.itemIndexes));
	const withoutResult = items.filter(({ itemIndex }) => !indexesWithResult.has(itemIndex));
	// Without Continue, only the first error is thrown, so it's no use to evaluate the IDs of the others.
	await forEachYielding(continues ? withoutResult : withoutResult.slice(0, 1), (parameters) => {
		results.push({
			itemIndexes: [parameters.itemIndex],
			error: error.with({ id: idOf(parameters) }),
		});
	});
	return results;
}

/**
 * Executes an operation, and returns its output items. Throws the first error, but not under Continue, where
 * n8n would then pass on the input items (docs/dev/n8n-engine.md#throwing-under-continue).
 */
async function executeOperation(
	operation: NodeOperation,
	context: ExecuteContext,
	memory: ExecutionMemory,
	items: Items,
) {
	const { writes } = operation;
	const node = context.getNode();
	const continues = continuesOnError(context);
	const connection = createConnection(context, { memory, itemCount: items.length });
	const cancelSignal = context.getExecutionCancelSignal();
	cancelSignal?.addEventListener('abort', connection.close);
	// Stopped between two attempts of Retry On Fail (docs/dev/n8n-engine.md#retry-on-fail).
	if (cancelSignal?.aborted) connection.close();
	try {
		const results = await prepareExecution(context, connection, memory, items)
			.then(async (execution) => await new JobRunner(operation, execution).executeAll())
			.catch(async (cause: unknown) => {
				const error = asUserFacingError(cause).forReader(isTool(node));
				return await resultsWithoutAttempt(items, operation, error, memory, continues);
			});
		results.sort((a, b) => Number(a.itemIndexes[0]) - Number(b.itemIndexes[0]));
		// After a time limit, unlike after Stop, n8n keeps the output (docs/dev/n8n-engine.md#custom-operations).
		if (cancelSignal?.aborted && writes) {
			const report = `The execution was stopped. ${memory.report(writes.done).words}`;
			connection.log('warn', report);
			showHint(context, report);
		}
		const failed = results.filter((result) => 'error' in result);
		const [first] = failed;
		if (first !== undefined) {
			if (!continues)
				throw connection.nodeError(withReport(first, writes, memory), first.itemIndexes[0]);
			showHint(context, hintOnFailures(failed.length, results.length, node));
		}
		const output: INodeExecutionData[] = [];
		await forEachYielding(results, (result) => {
			output.push(outputItem(result, connection.forDisplay, node));
		});
		return output;
	} finally {
		cancelSignal?.removeEventListener('abort', connection.close);
		connection.close();
	}
}

/** Called once with all items, by workflow executions and AI Agent 3 (docs/dev/n8n-engine.md#custom-operations). */
export function customOperation(operation: NodeOperation) {
	return async function (this: IExecuteFunctions) {
		const evaluate = (name: string, itemIndex: number) =>
			this.getNodeParameter(name, itemIndex, null);
		const parametersOf = parameterReader(this, evaluate, inputItemReader(this));
		const executeData = this.getExecuteData();
		const memory = memories.get(executeData) ?? new ExecutionMemory();
		memories.set(executeData, memory);
		memory.startAttempt();
		// So that TypeScript knows that there is a first item.
		const [, ...indexes] = this.getInputData().keys();
		const items: Items = [parametersOf(0), ...indexes.map(parametersOf)];
		return [await executeOperation(operation, this, memory, items)];
	};
}

/**
 * Called with one item, by AI Agent before 3 and MCP (docs/dev/n8n-engine.md#pagination-function). Also called for
 * unknown resources and operations, and for 'Custom API Call', which n8n adds to both.
 */
export function routing(
	operations: ReadonlyMap<string, { name: string; operation: NodeOperation }>,
): INodePropertyRouting {
	const pagination = async function (this: IExecutePaginationFunctions) {
		// As saved, which is also how n8n looks up custom operations: a model must not choose the operation.
		const { operation, resource } = this.getNode().parameters;
		const chosen = operations.get(String(operation));
		if (chosen === undefined) {
			const names = [...operations].map(([value, { name }]) => `${name} (${value})`).join(', ');
			const description = `Set 'Resource' to Instance (instance), and 'Operation' to one of ${names}, not to an expression. For other requests, use n8n's HTTP Request node with the credential of this node.`;
			const chosenValues = JSON.stringify({ resource, operation });
			const message = `'Resource' or 'Operation' is not one of its options: ${shortened(chosenValues)}`;
			throw new NodeOperationError(this.getNode(), message, { description });
		}
		const parametersOf = parameterReader(this, (name) => this.getNodeParameter(name, null));
		const items: Items = [parametersOf(this.getItemIndex())];
		return await executeOperation(chosen.operation, this, new ExecutionMemory(), items);
	};
	return { send: { paginate: true }, operations: { pagination } };
}
