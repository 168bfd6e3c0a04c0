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

function describeItem({ json }: INodeExecutionData): string {
	const fields = [...new Set([...mostUseful, ...Object.keys(json)])];
	return fields
		.filter((field) => isShort(json[field]))
		.slice(0, 3)
		.map((field) => `${field}: ${String(json[field])}`)
		.join(', ');
}

function outcomeOf(runs: ITaskData[]): string {
	const error = runs.at(-1)?.error;
	if (error) return `stopped. ${sentences(error)}`;
	const outputs = runs.flatMap(({ data }) => Object.values(data ?? {}).flat());
	const items = outputs.flatMap((output) => output ?? []);
	const [first] = items;
	if (!first) return 'skipped. No items reached it.';
	const rejected = outputs[1]?.length ?? 0;
	const counts = [
		`items: ${items.length - rejected}`,
		...(rejected > 0 ? [`rejected: ${rejected}`] : []),
	];
	return `done (${counts.join(', ')}). ${describeItem(first)}`;
}

/** Each node's outcome on a line, in the order in which they ran. Those that didn't run are last. */
export function tourReport({ workflow, execution }: TourRun): string {
	const { runData } = execution.data.resultData;
	const order = (name: string) => runData[name]?.[0]?.executionIndex ?? Number.MAX_SAFE_INTEGER;
	const names = workflow.nodes
		.filter(({ type }) => !type.endsWith('.stickyNote'))
		.map(({ name }) => name);
	return names
		.sort((one, other) => order(one) - order(other))
		.map((name) => `  ${name}: ${outcomeOf(runData[name] ?? []).replace(/\s+/g, ' ')}`)
		.join('\n');
}

/** Why a run stopped early, in the words of n8n and the node. */
export const reasonOf = ({ execution: { data, status } }: TourRun): string =>
	data.resultData.error ? sentences(data.resultData.error) : status;
