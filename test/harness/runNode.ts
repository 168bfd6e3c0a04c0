import type { ExecutionStatus, IDataObject, INodeParameters } from 'n8n-workflow';
import { connect, type Link } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import type { NodeRun, WorkflowRun } from './runResult';
import { runWorkflow, type RunOptions } from './runWorkflow';
import { EVALUATE, MANUAL_TRIGGER, NO_OP } from './standIns';
import { node, toItems, type NodeSettings, type WorkflowDefinition } from './workflow';

/** Names of the nodes in the workflow of `oneNode`. */
export const NAMES = {
	trigger: 'Start',
	source: 'Items',
	node: 'Service',
	success: 'On success',
	error: 'On error',
};

export interface OneNode extends NodeSettings {
	/** Full type name; default: the package's node. */
	type?: string;
	parameters: INodeParameters;
	/** The json of each input item, emitted by the node `Items`. Default: one empty object. */
	items?: IDataObject[];
	/**
	 * Adds a node to either output that evaluates an expression for each item: the given one, or
	 * for `true` the whole item of `Items` that the present item is paired to. Default: none.
	 */
	downstream?: boolean | string;
}

/** One item of a downstream node: what the expression gave, or why n8n could not resolve it. */
export type Downstream = { value: unknown } | { unresolved: string };

export interface OneNodeRun extends NodeRun {
	status: ExecutionStatus;
	downstream: { success: Downstream[]; error: Downstream[] };
	/** The run of the whole workflow. */
	run: WorkflowRun;
}

export interface RunNodeOptions extends OneNode, RunOptions {}

const PAIRED_ITEM = `={{ $('${NAMES.source}').item.json }}`;

/** The workflow Start → Items → Service, with a node on either output when asked for. */
export function oneNode({
	type = NODE_TYPE,
	parameters,
	items = [{}],
	downstream = false,
	// n8n takes 0 for unset, which is a second.
	waitBetweenTries = 1,
	...settings
}: OneNode): WorkflowDefinition {
	const nodes = [
		node(NAMES.trigger, MANUAL_TRIGGER),
		node(NAMES.source, NO_OP),
		node(NAMES.node, type, parameters, { waitBetweenTries, ...settings }),
	];
	const links: Link[] = [
		{ from: NAMES.trigger, to: NAMES.source },
		{ from: NAMES.source, to: NAMES.node },
	];
	if (downstream !== false) {
		const expression = downstream === true ? PAIRED_ITEM : downstream;
		nodes.push(node(NAMES.success, EVALUATE, { expression }));
		nodes.push(node(NAMES.error, EVALUATE, { expression }));
		links.push({ from: NAMES.node, to: NAMES.success });
		links.push({ from: NAMES.node, to: NAMES.error, output: 1 });
	}
	return { nodes, connections: connect(links), pinData: { [NAMES.source]: toItems(items) } };
}

function downstreamItems({ outputs }: NodeRun): Downstream[] {
	return (outputs[0] ?? []).map(({ json }) =>
		typeof json.unresolved === 'string' ? { unresolved: json.unresolved } : { value: json.value },
	);
}

/** The view on a run of `oneNode`'s workflow that centres on the node. */
export function oneNodeRun(run: WorkflowRun): OneNodeRun {
	return {
		...run.node(NAMES.node),
		status: run.status,
		downstream: {
			success: downstreamItems(run.node(NAMES.success)),
			error: downstreamItems(run.node(NAMES.error)),
		},
		run,
	};
}

/**
 * Runs one node in a workflow of its own, in n8n's engine.
 *
 * @throws WorkflowHasIssuesError when n8n refuses to start it (a required parameter is empty)
 */
export async function runNode(options: RunNodeOptions): Promise<OneNodeRun> {
	const { credentials, mode, signal, step, previous, timezone, ...definition } = options;
	const run = { credentials, mode, signal, step, previous, timezone };
	return oneNodeRun(await runWorkflow(oneNode(definition), run));
}
