import type { INodeExecutionData, ITaskData } from 'n8n-workflow';

import type { Execution } from '../n8n/executions';
import type { Workflow } from '../n8n/workflowFile';

/** One row of the table that is shown after the tour. */
export interface StepOutcome {
	step: string;
	outcome: string;
	/** The number of items, and of those on the second output if there is one. */
	items: string;
	result: string;
}

const shownFields = 3;
const tellingFields = ['id', 'deleted', 'error', 'deadline', 'tags', 'name', 'priority', 'stage'];
const noteType = 'n8n-nodes-base.stickyNote';

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

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

/** The most telling fields first, then the others in their own order. */
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
	if (last.error) return inOneLine(sentences(last.error));
	const more = items.length > 1 ? ` (and ${items.length - 1} more)` : '';
	return `${inOneLine(describeItem(items[0]))}${more}`;
}

function itemsText([first = [], second = []]: INodeExecutionData[][]): string {
	return second.length === 0 ? String(first.length) : `${first.length}, ${second.length} rejected`;
}

function outcomeOf(step: string, runs: ITaskData[]): StepOutcome {
	const last = runs.at(-1);
	if (!last) return { step, outcome: 'skipped', items: '', result: 'No items reached it.' };
	const outputs = runs.flatMap(outputsOf);
	return {
		step,
		outcome: runs.some(({ error }) => error) ? 'stopped' : 'done',
		items: itemsText(outputs),
		result: describeResult(last, outputs.flat()),
	};
}

/** The outcome of each node, in the order in which they ran. Those that didn't run are last. */
export function outcomesOf(workflow: Workflow, execution: Execution): StepOutcome[] {
	const { runData } = execution.data.resultData;
	const order = (name: string) => runData[name]?.[0]?.executionIndex ?? Number.MAX_SAFE_INTEGER;
	return workflow.nodes
		.filter(({ type }) => type !== noteType)
		.map(({ name }) => name)
		.sort((one, other) => order(one) - order(other))
		.map((name) => outcomeOf(name, runData[name] ?? []));
}

/** Why a run stopped early, in the words of n8n and the node. */
export function reasonOf({ execution }: { execution: Execution }): string {
	const { error } = execution.data.resultData;
	return error ? sentences(error) : execution.status;
}
