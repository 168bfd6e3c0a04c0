import type { IDataObject, INode } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import type { Waiter } from '../api/keyedLock';
import { Connection } from './connection';
import { type ItemReader, parameterReader, type Parameters } from './parameters';
import { requestOptions, type RequestOptions } from './requestOptions';
import type { RunContext } from './transport';

/** One input item, as operations see it. */
export interface InputItem {
	index: number;
	json: IDataObject;
	parameters: Parameters;
}

/** What is remembered over the tries of Retry On Fail. */
export interface Memory {
	/** Ids that are deleted: they must not be sent again. */
	deleted: Set<number>;
	/** What an earlier try may have done: ids for Bulk Delete, indexes of items for Update. */
	mayBeDone: Set<number>;
	/** What an earlier try has done for an item, by its index: it must not be done again. */
	done: Map<number, { input: IDataObject; output: IDataObject }>;
}

/** What n8n calls the node with, on either way. */
export interface Call {
	context: RunContext;
	/** The json of each input item, by its index. */
	inputs: Array<{ index: number; json: IDataObject }>;
	reader: ItemReader;
	memory: Memory;
	clock: Clock;
}

/** One run of the node over its input items. */
export class NodeRun {
	readonly items: readonly InputItem[];

	/** The parameters of the first item, where one value holds for the whole run. */
	readonly parameters: Parameters;

	/** Whether the user chose to continue when an item cannot be processed. */
	readonly continues: boolean;

	readonly memory: Memory;

	/** Shared by all items. */
	readonly connection: Connection;

	readonly node: INode;

	readonly clock: Clock;

	private readonly context: RunContext;

	private readonly signal: AbortSignal | undefined;

	private chosenOptions: RequestOptions | undefined;

	private readonly startedAt: number;

	private readonly onAbort = () => this.connection.leave();

	constructor({ context, inputs, reader, memory, clock }: Call) {
		this.context = context;
		this.memory = memory;
		this.clock = clock;
		this.startedAt = clock.now();
		this.node = context.getNode();
		this.continues = context.continueOnFail();
		this.connection = new Connection(context, {
			clock,
			sender: { continues: this.continues },
			http: () => this.options.http,
		});
		const parametersOf = parameterReader(this.node.parameters, context.getTimezone(), reader);
		this.parameters = parametersOf(0);
		this.items = inputs.map((input) => ({ ...input, parameters: parametersOf(input.index) }));
		this.signal = context.getExecutionCancelSignal();
		this.signal?.addEventListener('abort', this.onAbort);
	}

	/** Whether an AI agent uses the node as a tool: n8n then has a type of its own for it. */
	get isTool(): boolean {
		return this.node.type.endsWith('Tool');
	}

	/** How the run waits for updates of other runs. */
	get waiter(): Waiter {
		return {
			clock: this.clock,
			patience: this.options.http.timeout,
			assertGoing: () => this.connection.assertGoing(),
		};
	}

	/** Waits until it is an item's time by n8n's own Batching. */
	async waitForBatch(item: InputItem): Promise<void> {
		const delay = this.startedAt + this.options.delayOf(item.index) - this.clock.now();
		if (delay > 0) await this.connection.rest(delay);
	}

	/** Shows a hint beside the output, where n8n can. */
	hint(message: string): void {
		if (!('addExecutionHints' in this.context)) return;
		this.context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	}

	/** Frees what the run shares with others. */
	end(): void {
		this.signal?.removeEventListener('abort', this.onAbort);
		this.connection.leave();
	}

	private get options(): RequestOptions {
		return (this.chosenOptions ??= requestOptions(this.parameters));
	}
}
