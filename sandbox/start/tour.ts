import type { ITaskData } from 'n8n-workflow';

import type { Execution } from '../n8n/executions';
import type { StoredWorkflow } from './workflows';

export interface TourRun {
	workflow: StoredWorkflow;
	execution: Execution;
}

const shownCharacters = 160;

/** The message and description of what stopped a node, as sentences. */
function sentences({ message, description }: NonNullable<ITaskData['error']>): string {
	return [message, description]
		.filter((text): text is string => Boolean(text))
		.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
		.join(' ');
}

function outcomeOf(runs: ITaskData[]): string {
	const error = runs.at(-1)?.error;
	if (error) return `stopped. ${sentences(error)}`;
	const items = runs.flatMap(({ data }) =>
		Object.values(data ?? {})
			.flat()
			.flat(),
	);
	if (items.length === 0) return 'skipped, no items reached it';
	const first = JSON.stringify(items[0]?.json);
	const shown = first.length > shownCharacters ? `${first.slice(0, shownCharacters)}…` : first;
	return items.length === 1 ? `done. ${shown}` : `done, ${items.length} items, the first: ${shown}`;
}

/** The outcome of each node on its own line, in the order in which they ran. Those that didn't run are last. */
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
