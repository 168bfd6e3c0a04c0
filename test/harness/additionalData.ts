import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData, WorkflowExecuteMode } from 'n8n-workflow';
import { type CredentialData, credentialsHelper, unavailable } from './credentialsHelper';
import type { WorkflowDefinition } from './workflow';

const BASE_URL = 'http://n8n.invalid';

/** What n8n's `getBase()` (workflow-execute-additional-data.js) returns for an execution, for a single run. */
export function additionalData(
	{ nodes, connections }: WorkflowDefinition,
	mode: WorkflowExecuteMode,
	credentials: CredentialData,
): IWorkflowExecuteAdditionalData {
	return {
		credentialsHelper: credentialsHelper(credentials),
		hooks: new ExecutionLifecycleHooks(mode, '1', {
			id: '1',
			name: 'test',
			nodes,
			connections,
			active: false,
			isArchived: false,
			activeVersionId: null,
			createdAt: new Date(),
			updatedAt: new Date(),
		}),
		executionId: '1',
		currentNodeExecutionIndex: 0,
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
		restApiUrl: `${BASE_URL}/rest`,
		instanceBaseUrl: `${BASE_URL}/`,
		formBaseUrl: `${BASE_URL}/form`,
		formWaitingBaseUrl: `${BASE_URL}/form-waiting`,
		formTestBaseUrl: `${BASE_URL}/form-test`,
		webhookBaseUrl: `${BASE_URL}/webhook`,
		webhookWaitingBaseUrl: `${BASE_URL}/webhook-waiting`,
		webhookTestBaseUrl: `${BASE_URL}/webhook-test`,
		mcpBaseUrl: `${BASE_URL}/mcp`,
		mcpTestBaseUrl: `${BASE_URL}/mcp-test`,
		logAiEvent: () => undefined,
		executeWorkflow: async () => await unavailable('sub-workflows'),
		getRunExecutionData: async () => await unavailable('earlier executions'),
		getRuntimeCredential: async () => await unavailable('runtime credentials'),
		startRunnerTask: async () => await unavailable('task runner'),
	};
}
