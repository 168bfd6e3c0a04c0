import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { Trouble } from '../values/trouble';
import {
	asTrouble,
	concealed,
	errorItem,
	markedForErrorOutput,
	nodeError,
	pairedTo,
} from './errors';
import { inLine } from './line';
import {
	maxConcurrentRequests,
	maxRetries,
	numberOption,
	optionsOf,
	type Parameters,
	parametersOf,
} from './parameters';
import { Halted, inputItems, type Outcome, Run } from './run';
import { connect, type Service } from './service';

/** What an operation does with one item: first without, then with the service. */
export interface ItemOperation<Job> {
	/**
	 * Reads and checks the parameters; nothing has been sent yet.
	 *
	 * @throws Trouble when a value cannot be used
	 */
	prepare(parameters: Parameters): Job;
	/** Does the job and gives the `json` of the output item. */
	perform(job: Job, service: Service): Promise<IDataObject>;
	/** What the job changes, e.g. `instance 42`: only one job at a time may work on it. */
	changes?(job: Job): string;
}

/** What merged work may use. */
export interface MergedTools {
	service: Service;
	/** The parameters that hold for all items. */
	parameters: Parameters;
	/** Whether to go on with the rest when a part of the work cannot be done. */
	continues: boolean;
	/** Ids that are gone since an earlier try of the same run, to be added to. */
	deleted: Set<number>;
}

/** What an operation does for all items together. */
export interface MergedOperation<Job> {
	/**
	 * Reads and checks what one item asks for; nothing has been sent yet.
	 *
	 * @param input the `json` of the input item
	 * @throws Trouble when a value cannot be used
	 */
	prepare(parameters: Parameters, input: IDataObject): Job;
	/** Does what the items, by their index, ask for. */
	performAll(jobs: Map<number, Job>, tools: MergedTools): Promise<Outcome[]>;
}

type RequestData = DeclarativeRestApiSettings.ResultOptions;
type Work = (
	context: IExecutePaginationFunctions,
	requestData: RequestData,
	run: Run,
) => Promise<Outcome[]>;

/**
 * The routing of an operation. A pagination function is the one hook of n8n's declarative engine that
 * wraps the whole request of an item (ENGINE, 4): what is thrown in here becomes a paired error item
 * or the error of the node, as the user has chosen.
 */
function routing(work: Work): INodePropertyRouting {
	const pagination = async function (
		this: IExecutePaginationFunctions,
		requestData: RequestData,
	): Promise<INodeExecutionData[]> {
		const run = Run.join(this);
		try {
			const outcomes = await work(this, requestData, run);
			return outcomes.map((outcome) => toItem(outcome, run));
		} catch (cause) {
			if (cause instanceof Halted) return [];
			const trouble = asTrouble(cause);
			if (run.continues) return [toItem({ items: [this.getItemIndex()], trouble }, run)];
			await run.beforeRejecting();
			throw nodeError(this, concealed(trouble, run.concealer));
		}
	};
	return { send: { paginate: true }, operations: { pagination } };
}

function toItem({ items, ...outcome }: Outcome, run: Run): INodeExecutionData {
	if ('trouble' in outcome) {
		const item = errorItem(concealed(outcome.trouble, run.concealer), items);
		return run.hasErrorOutput ? markedForErrorOutput(item) : item;
	}
	return { json: run.concealer.json(outcome.json), pairedItem: pairedTo(items) };
}

/** The routing of an operation that handles each item by itself, several at the same time. */
export function perItem<Job>(operation: ItemOperation<Job>): INodePropertyRouting {
	return routing(async (context, { options }, run) => {
		const { job, retries } = run.check(() => {
			const parameters = parametersOf(context);
			const chosen = optionsOf(parameters);
			run.bound = numberOption(chosen, maxConcurrentRequests);
			return { job: operation.prepare(parameters), retries: numberOption(chosen, maxRetries) };
		});
		await run.beforeSending();
		const service = await connect(context, options, run, retries);
		const perform = async () => await run.inTurn(async () => operation.perform(job, service));
		const changed = operation.changes?.(job);
		const json = await (changed ? inLine(`${service.baseUrl} ${changed}`, perform) : perform());
		return [{ json, items: [context.getItemIndex()] }];
	});
}

/**
 * The routing of an operation that merges its items into few requests. The item that comes first does
 * the work for all; each item that stops the run stops it under its own index.
 */
export function merged<Job>(operation: MergedOperation<Job>): INodePropertyRouting {
	return routing(async (context, { options }, run) => {
		const leads = run.outcomes === undefined;
		run.outcomes ??= performMerged(operation, context, options, run);
		const outcomes = await run.outcomes;
		const item = context.getItemIndex();
		if (run.continues) return leads ? outcomes : [];
		// There is either trouble alone or none; n8n reports the first.
		const [first] = outcomes;
		if (first && 'trouble' in first && first.items[0] === item) throw first.trouble;
		return leads ? outcomes : [];
	});
}

async function performMerged<Job>(
	operation: MergedOperation<Job>,
	context: IExecutePaginationFunctions,
	options: RequestData['options'],
	run: Run,
): Promise<Outcome[]> {
	const parameters = parametersOf(context);
	const retries = numberOption(optionsOf(parameters), maxRetries);
	const jobs = new Map<number, Job>();
	const refused: Outcome[] = [];
	for (const [item, { json }] of inputItems(context).entries()) {
		try {
			jobs.set(item, operation.prepare(parametersOf(context, item), json));
		} catch (cause) {
			// An expression that cannot be evaluated is n8n's to report when the others go on.
			if (run.continues && !(cause instanceof Trouble)) continue;
			refused.push({ items: [item], trouble: asTrouble(cause) });
		}
	}
	if (refused.length > 0 && !run.continues) return refused;
	await run.beforeSending();
	const service = await connect(context, options, run, retries);
	const { continues, deleted } = run;
	const done = await operation.performAll(jobs, { service, parameters, continues, deleted });
	return [...refused, ...done].sort((a, b) => Number(a.items[0]) - Number(b.items[0]));
}
