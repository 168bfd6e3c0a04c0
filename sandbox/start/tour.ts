import Table from 'cli-table3';
import type { INodeExecutionData, ITaskData } from 'n8n-workflow';

import type { Execution } from '../n8n/executions';
import type { StoredWorkflow } from './workflows';

/** The tour after its run. */
export interface TourRun {
	workflow: StoredWorkflow;
	execution: Execution;
}

/** These are shown first. */
const mostUseful = ['id', 'deleted', 'error', 'deadline', 'tags', 'name', 'priority', 'stage'];

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

function describeItem(item: INodeExecutionData | undefined): string {
	const json = item?.json ?? {};
	const fields = [...new Set([...mostUseful, ...Object.keys(json)])];
	return fields
		.filter((field) => isShort(json[field]))
		.slice(0, 3)
		.map((field) => `${field}: ${String(json[field])}`)
		.join(', ');
}

function rowOf(step: string, runs: ITaskData[]): string[] {
	const last = runs.at(-1);
	if (!last) return [step, 'skipped', '', 'No items reached it.'];
	const outputs = runs.flatMap(({ data }) => Object.values(data ?? {}).flat());
	const [first, second] = outputs.map((items) => items?.length ?? 0);
	const items = outputs.flatMap((output) => output ?? []);
	const more = items.length > 1 ? ` (and ${items.length - 1} more)` : '';
	const result = last.error ? sentences(last.error) : `${describeItem(items[0])}${more}`;
	return [
		step,
		runs.some(({ error }) => error) ? 'stopped' : 'done',
		second ? `${first}, ${second} rejected` : String(first ?? 0),
		result.replace(/\s+/g, ' ').trim(),
	];
}

/** A table of each node's outcome, in the order in which they ran. Those that didn't run are last. */
export function tourTable({ workflow, execution }: TourRun): string {
	const { runData } = execution.data.resultData;
	const order = (name: string) => runData[name]?.[0]?.executionIndex ?? Number.MAX_SAFE_INTEGER;
	const table = new Table({
		head: ['Step', 'Outcome', 'Items', 'Result'],
		style: { head: [], border: [], compact: true },
		// Together with the borders 80 columns, as many as any terminal has.
		colWidths: [18, 9, 12, 36],
		wordWrap: true,
	});
	const names = workflow.nodes
		.filter(({ type }) => !type.endsWith('.stickyNote'))
		.map(({ name }) => name);
	names.sort((one, other) => order(one) - order(other));
	table.push(...names.map((name) => rowOf(name, runData[name] ?? [])));
	return table.toString();
}

/** Why a run stopped early, in the words of n8n and the node. */
export const reasonOf = ({ execution: { data, status } }: TourRun): string =>
	data.resultData.error ? sentences(data.resultData.error) : status;
