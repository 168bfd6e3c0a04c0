import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { connect, type Link } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { type RunOptions, runWorkflow } from './execute';
import { EVALUATE, MANUAL_TRIGGER } from './standIns';
import { node, type NodeSettings, type WorkflowDefinition } from './workflow';

const NAMES = {
	source: 'Items',
	node: 'Service',
	success: 'On success',
	error: 'On error',
};

export interface RunNodeOptions extends NodeSettings, RunOptions {
	/** Full type name; default: the package's node. */
	type?: string;
	parameters: INodeParameters;
	/** The json of each input item, emitted by the trigger `Items`. Default: one empty object. */
	items?: IDataObject[];
	/** Full type name of `Items`; default: a manual trigger. */
	source?: string;
	/** An expression. Adds a node between `Items` and the node, which replaces each item by what it returns. */
	between?: string;
	/** The name of a node to add on another branch to the node, which first runs on its items, then on those of `Items`. */
	beside?: string;
	/** Adds a node to each output that returns, for each item, the item of `Items` that it's paired to. */
	downstream?: boolean;
	/** How often the node runs on the items in one execution, as in a loop. Default: once. */
	runs?: number;
}

const BETWEEN = 'Between';
const PAIRED_ITEM = { expression: `={{ $('${NAMES.source}').item.json }}` };

function oneNode({
	type = NODE_TYPE,
	parameters,
	items = [{}],
	source = MANUAL_TRIGGER,
	between,
	beside,
	downstream = false,
	runs = 1,
	// n8n takes 0 for unset, which means one second.
	waitBetweenTries = 1,
	...settings
}: Omit<RunNodeOptions, keyof RunOptions>): WorkflowDefinition {
	const nodes = [
		node(NAMES.source, source),
		node(NAMES.node, type, parameters, { waitBetweenTries, ...settings }),
	];
	const links: Link[] = Array(runs).fill({
		from: between ? BETWEEN : NAMES.source,
		to: NAMES.node,
	});
	if (between) {
		nodes.push(node(BETWEEN, EVALUATE, { expression: between }));
		links.push({ from: NAMES.source, to: BETWEEN });
	}
	if (beside) {
		nodes.push({ ...node(beside, EVALUATE, PAIRED_ITEM), position: [0, -100] });
		links.unshift({ from: NAMES.source, to: beside }, { from: beside, to: NAMES.node });
	}
	if (downstream) {
		for (const [output, to] of [NAMES.success, NAMES.error].entries()) {
			nodes.push(node(to, EVALUATE, PAIRED_ITEM));
			links.push({ from: NAMES.node, to, output });
		}
	}
	return {
		nodes,
		connections: connect(links),
		pinData: { [NAMES.source]: items.map((json) => ({ json })) },
	};
}

/** Runs one node in its own workflow, in n8n's engine. Throws when n8n refuses to start it. */
export async function runNode(options: RunNodeOptions) {
	const { credentials, signal, timezone, ...definition } = options;
	const run = await runWorkflow(oneNode(definition), { credentials, signal, timezone });
	const jsonOf = (name: string) =>
		run.node(name).outputs.flatMap((items) => items.map(({ json }) => json));
	return {
		...run.node(NAMES.node),
		status: run.status,
		downstream: { success: jsonOf(NAMES.success), error: jsonOf(NAMES.error) },
		raw: run.raw,
	};
}
