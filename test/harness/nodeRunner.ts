import { NodeHelpers, type IDataObject, type INodeParameters, type Workflow } from 'n8n-workflow';
import { recordEvaluations } from './evaluations';
import { createWorkflow, execute, type ExecuteOptions } from './execute';
import { NAMES, oneNode, oneNodeRun, type OneNode, type OneNodeRun } from './runNode';
import { workflowRun } from './runResult';
import { loadTypesOf, types } from './typeRegistry';
import { toItems } from './workflow';

export interface NodeRunner {
	/** Runs the node once more. Calls must not overlap. */
	run(
		options: ExecuteOptions & { parameters?: INodeParameters; items?: IDataObject[] },
	): Promise<OneNodeRun>;
	/** Frees what the runner holds. */
	close(): Promise<void>;
}

/** Keeps one isolate for all runs: a new one for each costs more than the run itself. */
async function holdIsolate({ expression }: Workflow): Promise<() => Promise<void>> {
	const release = expression.releaseIsolate.bind(expression);
	await expression.acquireIsolate();
	expression.releaseIsolate = async () => {
		await Promise.resolve();
	};
	return release;
}

function setParameters(workflow: Workflow, parameters: INodeParameters): void {
	const node = workflow.getNode(NAMES.node);
	if (node === null) return;
	const { description } = types.getByNameAndVersion(node.type);
	// The constructor of Workflow fills in the defaults like this.
	node.parameters =
		NodeHelpers.getNodeParameters(
			description.properties,
			parameters,
			true,
			false,
			node,
			description,
		) ?? {};
}

/**
 * Runs one node many times in n8n's engine, for property-based tests: like `runNode`, but the
 * workflow and the expression engine's isolate are set up once.
 *
 * @param options - what stays the same in all runs; parameters and items are only defaults
 */
export async function createNodeRunner({
	timezone,
	...options
}: OneNode & { timezone?: string }): Promise<NodeRunner> {
	const definition = oneNode(options);
	await loadTypesOf(definition);
	const workflow = createWorkflow(definition, timezone);
	const evaluations = recordEvaluations(workflow);
	const close = await holdIsolate(workflow);
	const { parameters: defaults, items: defaultItems = [{}] } = options;

	return {
		close,
		async run({ parameters = defaults, items = defaultItems, ...run }) {
			setParameters(workflow, parameters);
			const pinData = { [NAMES.source]: toItems(items) };
			const result = await execute(workflow, { ...definition, pinData }, run);
			return oneNodeRun(workflowRun(result, evaluations.splice(0)));
		},
	};
}

/** A runner for the tests of a file or describe block, as `createNodeRunner` makes it. */
export function useNodeRunner(
	options: Parameters<typeof createNodeRunner>[0],
): Pick<NodeRunner, 'run'> {
	let runner: NodeRunner | undefined;
	beforeAll(async () => {
		runner = await createNodeRunner(options);
	});
	afterAll(async () => await runner?.close());
	return {
		async run(given) {
			if (runner === undefined) throw new Error('The runner was not made yet.');
			return await runner.run(given);
		},
	};
}
