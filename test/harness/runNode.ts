import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { connect, type Link } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { type RunOptions, runWorkflow } from './execute';
import { EVALUATE, MANUAL_TRIGGER } from './standIns';
import { node, type NodeSettings, type WorkflowDefinition } from './workflow';

const SOURCE = 'Items';
const NODE = 'Service';

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
	/** How often the node runs on the items in one execution, as in a loop. Default: once. */
	runs?: number;
}

const BETWEEN = 'Between';

function oneNode({
	type = NODE_TYPE,
	parameters,
	items = [{}],
	source = MANUAL_TRIGGER,
	between,
	beside,
	runs = 1,
	// n8n takes 0 for unset, which means one second.
	waitBetweenTries = 1,
	...settings
}: Omit<RunNodeOptions, keyof RunOptions>): WorkflowDefinition {
	const nodes = [
		node(SOURCE, source),
		node(NODE, type, parameters, { waitBetweenTries, ...settings }),
	];
	const links: Link[] = Array(runs).fill({ from: between ? BETWEEN : SOURCE, to: NODE });
	if (between) {
		nodes.push(node(BETWEEN, EVALUATE, { expression: between }));
		links.push({ from: SOURCE, to: BETWEEN });
	}
	if (beside) {
		const expression = `={{ $('${SOURCE}').item.json }}`;
		nodes.push({ ...node(beside, EVALUATE, { expression }), position: [0, -100] });
		links.unshift({ from: SOURCE, to: beside }, { from: beside, to: NODE });
	}
	const pinData = { [SOURCE]: items.map((json) => ({ json })) };
	return { nodes, connections: connect(links), pinData };
}

/** Runs one node in its own workflow, in n8n's engine. Throws when n8n refuses to start it. */
export async function runNode(options: RunNodeOptions) {
	const { credentials, signal, timezone, ...definition } = options;
	const run = await runWorkflow(oneNode(definition), { credentials, signal, timezone });
	return { ...run.node(NODE), status: run.status, raw: run.raw };
}
