import { WorkflowExecute } from 'n8n-core';
import {
	Workflow,
	type IPinData,
	type IRun,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { CREDENTIALS } from './defaults';
import { types } from './typeRegistry';
import type { WorkflowDefinition } from './workflow';

export interface ExecuteOptions {
	/** Data of every credential in the workflow. Default: `CREDENTIALS`. */
	credentials?: CredentialData;
	/** `manual` (default) is a run from the editor; `trigger`, `webhook`, … one in production. */
	mode?: WorkflowExecuteMode;
	/** Aborting it stops the execution as the editor's stop button does. */
	signal?: AbortSignal;
	/** Runs up to and with this node only, as the editor's Execute step does. */
	step?: string;
	/** With `step`: an earlier run whose data the step starts from. */
	previous?: IRun;
}

/**
 * n8n's in-memory form of a workflow. Nodes whose type needs a credential get one.
 *
 * @param timezone - IANA name; default: n8n's own default
 */
export function createWorkflow(definition: WorkflowDefinition, timezone?: string): Workflow {
	const settings: IWorkflowSettings = { executionOrder: 'v1', ...definition.settings };
	if (timezone !== undefined) settings.timezone = timezone;
	const nodes = definition.nodes.map((node) => {
		const wanted = types.getByNameAndVersion(node.type).description.credentials ?? [];
		const credentials = wanted.map(({ name }) => [name, { id: '1', name: 'Test' }] as const);
		return { ...node, credentials: { ...Object.fromEntries(credentials), ...node.credentials } };
	});
	return new Workflow({
		id: '1',
		name: definition.name ?? 'test',
		nodes,
		connections: definition.connections,
		active: false,
		nodeTypes: types,
		settings,
	});
}

/** The engine changes pinned items, so each run gets its own. */
function copyPinData(pinData: IPinData = {}): IPinData {
	return Object.fromEntries(
		Object.entries(pinData).map(([name, items]) => [name, items.map((item) => ({ ...item }))]),
	);
}

/**
 * Runs a workflow in n8n's WorkflowExecute, from its trigger.
 *
 * @throws WorkflowHasIssuesError when n8n refuses to start it (a required parameter is empty)
 */
export async function execute(
	workflow: Workflow,
	definition: WorkflowDefinition,
	{ credentials = CREDENTIALS, mode = 'manual', signal, step, previous }: ExecuteOptions,
): Promise<IRun> {
	const pinData = copyPinData(definition.pinData);
	const engine = new WorkflowExecute(additionalData(definition, mode, credentials), mode);
	const destinationNode =
		step === undefined ? undefined : { nodeName: step, mode: 'inclusive' as const };
	const running =
		destinationNode !== undefined && previous !== undefined
			? engine.runPartialWorkflow2(
					workflow,
					previous.data.resultData.runData,
					pinData,
					[],
					destinationNode,
				)
			: engine.run({ workflow, destinationNode, pinData });

	const cancel = (): void => {
		running.cancel();
	};
	if (signal?.aborted) cancel();
	signal?.addEventListener('abort', cancel, { once: true });
	try {
		return await running;
	} finally {
		signal?.removeEventListener('abort', cancel);
	}
}
