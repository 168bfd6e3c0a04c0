import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { createConnection } from './connection';
import { type ItemReader, parameterReader, type Parameters } from './parameters';
import { requestOptions, type RequestOptions } from './requestOptions';
import type { RunContext } from './transport';

/** One input item, as operations see it. */
export interface InputItem {
	index: number;
	json: IDataObject;
	parameters: Parameters;
}

/** What the tries of Retry On Fail share. */
export interface Memory {
	/** IDs that are deleted: they must not be sent again. */
	deleted: Set<number>;
	/** What an earlier try may have done: IDs for Bulk Delete, indexes of items for Update. */
	mayBeDone: Set<number>;
	/** What an earlier try has done for an item, by its index: it must not be done again. */
	done: Map<number, { input: IDataObject; output: IDataObject }>;
}

/** One run of the node over its input items. */
export type NodeRun = ReturnType<typeof createNodeRun>;

export function createNodeRun(
	context: RunContext,
	inputs: Array<Pick<InputItem, 'index' | 'json'>>,
	reader: ItemReader,
	memory: Memory,
) {
	const node = context.getNode();
	const startedAt = systemClock.now();
	const parametersOf = parameterReader(node.parameters, context.getTimezone(), reader);
	const parameters = parametersOf(0);
	const items = inputs.map((input) => ({ ...input, parameters: parametersOf(input.index) }));
	const continues = context.continueOnFail();
	let chosenOptions: RequestOptions | undefined;
	const options = () => (chosenOptions ??= requestOptions(parameters));
	const connection = createConnection(context, { continues }, () => options().http);
	const signal = context.getExecutionCancelSignal();
	signal?.addEventListener('abort', connection.leave);

	return {
		node,
		items,
		/** The parameters of the first item, where one value applies to the whole run. */
		parameters,
		/** Whether the user chose to continue when an item cannot be processed. */
		continues,
		memory,
		/** Shared by all items. */
		connection,

		/** Whether an AI agent uses the node as a tool: n8n then has a type of its own for it. */
		isTool: node.type.endsWith('Tool'),

		/** Waits until it is an item's time by n8n's own Batching. */
		async waitForBatch({ index }: InputItem): Promise<void> {
			const delay = startedAt + options().delayOf(index) - systemClock.now();
			if (delay > 0) await connection.rest(delay);
		},

		/** Shows a hint beside the output, where n8n can. */
		hint(message: string): void {
			if (!('addExecutionHints' in context)) return;
			context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
		},

		/** Frees what the run shares with others. */
		end(): void {
			signal?.removeEventListener('abort', connection.leave);
			connection.leave();
		},
	};
}
