import type { IDataObject, INode } from 'n8n-workflow';

import { type ApiClient, createApiClient } from '../api/apiClient';
import { joinLimiter, type Line } from '../api/concurrencyLimiter';
import { bareKey, normalizeBaseUrl } from '../api/credential';
import type { Waiter } from '../api/keyedLock';
import { createRedactor, type Redactor } from '../api/redactor';
import { RunStopped } from '../api/requestQueue';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { parameterReader, type Parameters } from './parameters';
import { requestOptions, type RequestOptions } from './requestOptions';
import { createTransport, CREDENTIAL, type NodeContext } from './transport';

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
	context: NodeContext;
	/** The json of each input item, by its index. */
	inputs: Array<{ index: number; json: IDataObject }>;
	/** n8n's way to read a parameter, by its name and the index of the item. */
	evaluate(name: string, item: number): unknown;
	memory: Memory;
}

/** One run of the node over its input items. */
export class NodeRun {
	readonly items: readonly InputItem[];

	/** The parameters of the first item, where one value holds for the whole run. */
	readonly parameters: Parameters;

	/** Whether the user chose to continue when an item cannot be processed. */
	readonly continues: boolean;

	readonly memory: Memory;

	/** Hides the API key in what leaves the node, as soon as the credential was read. */
	redactor: Redactor = createRedactor('');

	readonly node: INode;

	private readonly context: NodeContext;

	private readonly signal: AbortSignal | undefined;

	private connection: Promise<ApiClient> | undefined;

	private chosenOptions: RequestOptions | undefined;

	private line: Line | undefined;

	private readonly startedAt = Date.now();

	private isStopped = false;

	private readonly onAbort = () => {
		this.stop();
		this.line?.leave();
	};

	constructor({ context, inputs, evaluate, memory }: Call) {
		this.context = context;
		this.memory = memory;
		this.node = context.getNode();
		this.continues = context.continueOnFail();
		const parametersOf = parameterReader(this.node.parameters, context.getTimezone(), evaluate);
		this.parameters = parametersOf(0);
		this.items = inputs.map((input) => ({ ...input, parameters: parametersOf(input.index) }));
		this.signal = context.getExecutionCancelSignal();
		this.signal?.addEventListener('abort', this.onAbort, { once: true });
	}

	/**
	 * The client for the credential of the node, which all items share.
	 *
	 * @throws UserFacingError when there is no credential, or its base URL is unusable
	 */
	async connect(): Promise<ApiClient> {
		return await (this.connection ??= this.createClient());
	}

	/** Keeps back every request that was not sent yet. */
	stop(): void {
		this.isStopped = true;
		this.line?.close();
	}

	/** @throws RunStopped when the run was stopped */
	assertGoing(): void {
		if (this.isStopped) throw new RunStopped();
	}

	/** How the run waits for updates of other runs. */
	get waiter(): Waiter {
		return { patience: this.options.http.timeout, assertGoing: () => this.assertGoing() };
	}

	/** Waits until it is an item's time by n8n's own Batching. */
	async waitForBatch(item: InputItem): Promise<void> {
		const delay = this.startedAt + this.options.delayOf(item.index) - Date.now();
		if (delay > 0) await this.line?.rest(delay);
	}

	/** Writes a line to n8n's log. */
	log(level: 'error' | 'warn', message: string, details: IDataObject = {}): void {
		const { name } = this.node;
		const { id } = this.context.getWorkflow();
		const executionId = this.context.getExecutionId();
		this.context.logger[level](
			this.redactor.text(message),
			this.redactor.json({ node: name, workflowId: id, executionId, ...details }),
		);
	}

	/** Shows a hint beside the output, where n8n can. */
	hint(message: string): void {
		if (!('addExecutionHints' in this.context)) return;
		this.context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	}

	/** Frees what the run shares with others. */
	end(): void {
		this.signal?.removeEventListener('abort', this.onAbort);
		this.line?.leave();
	}

	private get options(): RequestOptions {
		return (this.chosenOptions ??= requestOptions(this.parameters));
	}

	private async createClient(): Promise<ApiClient> {
		const { context, options } = this;
		const credentials = await context.getCredentials(CREDENTIAL).catch((cause: unknown) => {
			throw new UserFacingError(
				`n8n could not read the credential of this node: ${wordsOf(cause)}`,
				"Choose or create a credential for 'Workflow Instance Service API' in this node.",
			);
		});
		const apiKey = bareKey(credentials.apiKey);
		this.redactor = createRedactor(apiKey);
		const baseUrl = normalizeBaseUrl(credentials.baseUrl);
		this.assertGoing();
		this.line = joinLimiter(baseUrl, apiKey);
		const transport = createTransport(context, baseUrl, credentials, options, this.redactor);
		return createApiClient(baseUrl, transport, this.line, this.continues);
	}
}
