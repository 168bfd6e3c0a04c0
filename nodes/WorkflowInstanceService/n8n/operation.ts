import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../api/apiClient';
import type { createConnection } from './connection';
import type { Parameters } from './parameters';
import type { RunMemory } from './runMemory';

export interface InputItem {
	readonly index: number;
	readonly parameters: Parameters;
}

/** One execution of the node. */
export interface NodeRun {
	readonly items: readonly InputItem[];
	/** Of the first item, where one value applies to the whole run. */
	readonly parameters: Parameters;
	readonly connection: ReturnType<typeof createConnection>;
	readonly memory: RunMemory;
	/** The base URL of the credential. */
	readonly baseUrl: string;
	/** Whether the user chose to continue when an item can't be processed. */
	readonly continues: boolean;
	/** Whether an AI agent uses the node as a tool. */
	readonly isTool: boolean;
	/** The service, for requests that wait no longer than 'Max Wait' says. */
	serviceFor(parameters: Parameters): Service;
	/** Waits until it is an item's time by n8n's own Batching. */
	waitForBatch(item: number): Promise<void>;
	/** Shows a hint beside the output, where n8n can. */
	hint(message: string): void;
}

/** The `json` of an output item, and the instance of the job that it is about: by default the first. */
export interface Output {
	json: IDataObject;
	id?: number;
}

/** Work on one instance, or on several in one request. */
export interface Job {
	/** The instances, each with the indexes of the input items that name it. */
	readonly itemsById: ReadonlyMap<number, readonly number[]>;
	/** Whether it changes nothing: then it need not wait until all items have been checked. */
	readonly readsOnly: boolean;
	/** Does it for some of its instances, and returns zero or more outputs for each. */
	run(ids: readonly number[]): Promise<Output[]>;
}

/** The job of one item, on one instance. */
export function jobOf(
	id: number,
	item: number,
	readsOnly: boolean,
	run: () => Promise<IDataObject>,
): Job {
	return {
		itemsById: new Map([[id, [item]]]),
		readsOnly,
		run: async () => [{ json: await run() }],
	};
}

/** An operation of the node, for all its runs. */
export interface NodeOperation {
	/** What is said of instances that it has changed, e.g. `Updated`; absent where it only reads. */
	readonly done?: string;
	/** What is said after an error where it may have changed something. */
	readonly doubt?: string;
	begin(run: NodeRun): Operation;
}

/** What an operation does in one run. */
export interface Operation {
	/** Reads and checks the parameters of one item, of which nothing has been sent yet. */
	prepare(item: InputItem): Job[];
	/** The jobs for all items together. Those that change something are done one after another. */
	prepareAll?(): Promise<Job[]>;
}
