import { NodeHelpers, type IDataObject, type INodeParameters, type Workflow } from 'n8n-workflow';
import { connect, type Link } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import {
	createWorkflow,
	execute,
	type ExecuteOptions,
	type NodeRun,
	recordEvaluations,
	type RunOptions,
	runWorkflow,
	workflowRun,
	type WorkflowRun,
} from './execute';
import { EVALUATE, MANUAL_TRIGGER, NO_OP } from './standIns';
import { types } from './typeRegistry';
import { node, type NodeSettings, toItems, type WorkflowDefinition } from './workflow';

/** Names of the nodes in the workflow of `oneNode`. */
const NAMES = {
	trigger: 'Start',
	source: 'Items',
	node: 'Service',
	success: 'On success',
	error: 'On error',
};

interface OneNode extends NodeSettings {
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
type Downstream = { value: unknown } | { unresolved: string };

export interface RunNodeOptions extends OneNode, RunOptions {}

const PAIRED_ITEM = `={{ $('${NAMES.source}').item.json }}`;

/** The workflow Start → Items → Service, with a node on either output when asked for. */
function oneNode({
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
function oneNodeRun(run: WorkflowRun) {
	return {
		...run.node(NAMES.node),
		status: run.status,
		downstream: {
			success: downstreamItems(run.node(NAMES.success)),
			error: downstreamItems(run.node(NAMES.error)),
		},
		/** The run of the whole workflow. */
		run,
	};
}

/**
 * Runs one node in a workflow of its own, in n8n's engine.
 *
 * @throws WorkflowHasIssuesError when n8n refuses to start it (a required parameter is empty)
 */
export async function runNode(options: RunNodeOptions) {
	const { credentials, signal, timezone, ...definition } = options;
	return oneNodeRun(await runWorkflow(oneNode(definition), { credentials, signal, timezone }));
}

type OneRun = ExecuteOptions & Partial<Pick<OneNode, 'items' | 'parameters'>>;

/** Keeps one isolate for all runs: a new one for each costs more than the run itself. */
async function holdIsolate({ expression }: Workflow): Promise<() => Promise<void>> {
	const release = expression.releaseIsolate.bind(expression);
	await expression.acquireIsolate();
	expression.releaseIsolate = async () => await Promise.resolve();
	return release;
}

function setParameters(workflow: Workflow, parameters: INodeParameters): void {
	const target = workflow.getNode(NAMES.node);
	if (target === null) return;
	const { description } = types.getByNameAndVersion(target.type);
	const { properties } = description;
	// The constructor of Workflow fills in the defaults like this.
	target.parameters =
		NodeHelpers.getNodeParameters(properties, parameters, true, false, target, description) ?? {};
}

/**
 * Runs one node many times in the tests of a file or describe block, one run after the other: like
 * `runNode`, but the workflow and the expression engine's isolate are set up once.
 *
 * @param options what stays the same in all runs; parameters and items are only defaults
 */
export function useNodeRunner({ timezone, ...options }: OneNode & { timezone?: string }) {
	const definition = oneNode(options);
	let workflow: Workflow | undefined;
	let evaluations: string[] = [];
	let release: (() => Promise<void>) | undefined;
	beforeAll(async () => {
		workflow = await createWorkflow(definition, timezone);
		evaluations = recordEvaluations(workflow);
		release = await holdIsolate(workflow);
	});
	afterAll(async () => await release?.());
	const { parameters: defaults, items: defaultItems = [{}] } = options;
	return {
		async run({ parameters = defaults, items = defaultItems, ...run }: OneRun) {
			if (workflow === undefined) throw new Error('The runner was not made yet.');
			setParameters(workflow, parameters);
			const pinData = { [NAMES.source]: toItems(items) };
			const result = await execute(workflow, { ...definition, pinData }, run);
			return oneNodeRun(workflowRun(result, evaluations.splice(0)));
		},
	};
}
