import type { INodeExecutionData, ITaskData } from 'n8n-workflow';

import type { Execution } from '../n8n/executions';
import type { Workflow } from '../n8n/workflowFile';

/** One row of the table that is shown after the tour. */
export interface StepOutcome {
	step: string;
	outcome: string;
	/** Number of items, per output when there are several. */
	items: string;
	result: string;
}

const shownFields = 4;
const shownCharacters = 90;
const tellingFields = ['id', 'deleted', 'error', 'deadline', 'tags', 'name', 'priority', 'stage'];
const noteType = 'n8n-nodes-base.stickyNote';

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > shownCharacters ? `${line.slice(0, shownCharacters - 1)}…` : line;
}

/** Message and description of what stopped a node, as sentences. */
function sentences({ message, description }: NonNullable<ITaskData['error']>): string {
	return [message, description]
		.filter((text): text is string => Boolean(text))
		.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
		.join(' ');
}

function isShort(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0 && value.every(isShort);
	return ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
}

/** The most telling fields first, the others in their own order behind them. */
function rank(field: string): number {
	const position = tellingFields.indexOf(field);
	return position === -1 ? tellingFields.length : position;
}

function describeItem(item: INodeExecutionData | undefined): string {
	return Object.entries(item?.json ?? {})
		.filter(([, value]) => isShort(value))
		.sort(([one], [other]) => rank(one) - rank(other))
		.slice(0, shownFields)
		.map(([name, value]) => `${name}: ${String(value)}`)
		.join(', ');
}

const outputsOf = (run: ITaskData): INodeExecutionData[][] =>
	Object.values(run.data ?? {}).flatMap((outputs) => outputs.map((items) => items ?? []));

function describeResult(last: ITaskData, items: INodeExecutionData[]): string {
	if (last.error) return shorten(sentences(last.error));
	const more = items.length > 1 ? ` (and ${items.length - 1} more)` : '';
	return `${shorten(describeItem(items[0]))}${more}`;
}

function outcomeOf(step: string, runs: ITaskData[]): StepOutcome {
	const last = runs.at(-1);
	if (!last) return { step, outcome: 'not run', items: '', result: '' };
	const outputs = runs.flatMap(outputsOf);
	return {
		step,
		outcome: runs.some(({ error }) => error) ? 'stopped' : 'done',
		items: outputs.map(({ length }) => length).join(' + '),
		result: describeResult(last, outputs.flat()),
	};
}

/** How each node of a run fared: in the order in which they ran, those that did not run last. */
export function outcomesOf(workflow: Workflow, execution: Execution): StepOutcome[] {
	const { runData } = execution.data.resultData;
	const order = (name: string) => runData[name]?.[0]?.executionIndex ?? Number.MAX_SAFE_INTEGER;
	return workflow.nodes
		.filter(({ type }) => type !== noteType)
		.map(({ name }) => name)
		.sort((one, other) => order(one) - order(other))
		.map((name) => outcomeOf(name, runData[name] ?? []));
}

/** Why a run did not reach its end, in n8n's and the node's own words. */
export function reasonOf({ execution }: { execution: Execution }): string {
	const { error } = execution.data.resultData;
	return error ? sentences(error) : execution.status;
}
