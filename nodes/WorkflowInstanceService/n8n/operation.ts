import type { IDataObject } from 'n8n-workflow';

import { asObject } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import type { Connection } from './connection';
import type { ExecutionMemory } from './executionMemory';
import type { InputItem } from './inputItem';
import { dryRun, maxWait, numberOption, type ItemParameters, readDryRun } from './parameters';
import { batchDelay, httpOptions } from './requestOptions';
import { continuesOnError, type ExecuteContext, isTool } from './transport';

/** The parameters of each item. n8n calls no operation without items. */
export type Items = readonly [ItemParameters, ...ItemParameters[]];

export type NodeExecution = Awaited<ReturnType<typeof prepareExecution>>;

/** Shows a hint next to the output, if n8n can. Escapes it: n8n renders hints as HTML, and they may quote the service. */
export function showHint(context: ExecuteContext, text: string): void {
	if (!('addExecutionHints' in context)) return;
	const message = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
}

/** Whether an item is one of a dry run. */
export function isPreview(item: IDataObject): boolean {
	return item.dryRun === true && ('deleted' in item || 'changes' in item);
}

/**
 * Throws UserFacingError if a model asks for a dry run of a tool that has none. With AI Agent 3, the tool's item contains
 * all that the model fills in, even what the tool doesn't ask for, and the fields of the agent's own item.
 */
export function assertNoDryRunAsked(
	item: InputItem,
	{ isDryRun, isTool }: Pick<NodeExecution, 'isDryRun' | 'isTool'>,
): void {
	if (!isTool || isDryRun) return;
	const values = asObject(item.json());
	// The agent's own item may be, or contain, one of a dry run.
	if (isPreview(values)) return;
	// Models also nest it, e.g. under options.
	const nested = Object.values(values).map(asObject);
	const places = [values, ...nested.filter((each) => !isPreview(each))];
	const isAsked = ([key, value]: [string, unknown]) =>
		/^(is[ _-]?)?dry[ _-]?run$/i.test(key) &&
		!/^(|0|false|no|none|n\/a|null|undefined)$/i.test(String(value).trim());
	if (!places.flatMap(Object.entries).some(isAsked)) return;
	throw new UserFacingError(
		"This tool can't do a dry run, so nothing was sent",
		`To make the change, set ${dryRun.name} to false.`,
	);
}

/**
 * Whether the items come from samples: in a test of a workflow, those of this package's trigger, even if nodes in between
 * have dropped what marks them.
 */
function comeFromSamples(context: ExecuteContext, { firstOf }: InputItem): boolean {
	const { name: ownName, type: ownType } = context.getNode();
	return context.getParentNodes(ownName).some(({ name, type }) => {
		if (type !== `${ownType}Trigger`) return false;
		return asObject(firstOf(name)).sample === true;
	});
}

/** Throws UserFacingError when the credential or 'Dry Run' can't be used, or the execution was stopped. */
export async function prepareExecution(
	context: ExecuteContext,
	connection: Connection,
	memory: ExecutionMemory,
	items: Items,
) {
	const { baseUrl, openService } = await connection.connect();
	/** Its parameters, for values that apply to the whole execution. */
	const [firstItem] = items;
	const show = (message: string) => showHint(context, message);
	memory.hints.forEach(show);
	return {
		connection,
		memory,
		items,
		firstItem,
		baseUrl,
		/** How long after the first item an item starts, by its index, in milliseconds. */
		delayOf: batchDelay(firstItem),
		continues: continuesOnError(context),
		isDryRun: readDryRun(firstItem),
		isTool: isTool(context.getNode()),

		comeFromSamples: () => comeFromSamples(context, firstItem.item),

		/** The service, which requests of this item wait for as long as 'Max Wait' says. */
		serviceFor(ofItem: ItemParameters) {
			const http = httpOptions(ofItem);
			const seconds = numberOption(ofItem, maxWait);
			return openService(() => http, seconds * 1000, memory.pendingIds);
		},

		/** Shows a hint, but only one of each kind over all attempts of Retry On Fail. */
		hint(message: string, kind = message) {
			if (memory.hints.has(kind)) return;
			memory.hints.set(kind, message);
			show(message);
		},
	};
}

/** Work on one instance, or on several in one request. */
export interface Job {
	/** The instances, each with the indexes of the input items that list it. */
	readonly itemIndexesById: ReadonlyMap<number, readonly number[]>;
	/** Whether it changes nothing. Then other jobs don't wait for it, Retry On Fail repeats it, and no report has it. */
	readonly readsOnly: boolean;
	/** Does the work for some of its instances, and returns a function from an ID to its output. */
	execute(ids: readonly number[]): Promise<(id: number) => IDataObject>;
}

/** Work on one instance, which returns its output. */
export type Work = Pick<Job, 'readsOnly'> & { work(): Promise<IDataObject> };

export function jobOf(id: number, itemIndexes: readonly number[], { readsOnly, work }: Work): Job {
	const execute = async () => {
		const json = await work();
		return () => json;
	};
	return { itemIndexesById: new Map([[id, itemIndexes]]), readsOnly, execute };
}

/** What messages say about the writes of an operation. */
interface WriteWords {
	/** The word for instances that were changed, e.g. `Updated`. */
	readonly done: string;
	/** After an error, if it may have changed something. */
	readonly adviceIfUnknown: string;
}

export interface NodeOperation {
	/** False if it only reads, so that it needs no lock and no report. */
	readonly writes: WriteWords | false;
	/** What a dry run returns for an item that can't be processed, besides its ID and a message. */
	readonly failedPreview?: IDataObject;
	/** The ID in an item, if it's a single one that can be read without the service. */
	idOf(parameters: ItemParameters): number | undefined;
	/** What it does in one execution. */
	plan(execution: NodeExecution): {
		/** Reads and checks the parameters of one item, before anything is sent for it. */
		jobsOf(parameters: ItemParameters): Job[];
		/** Called once `jobsOf` has been called for all items. */
		afterItems?(): void;
		/** The jobs for all items together. Those that change something are done one after another. */
		jobsOfAll?(): Promise<Job[]>;
	};
}
