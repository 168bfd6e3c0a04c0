import type { INodeParameters } from 'n8n-workflow';

import {
	asWorkflow,
	type CredentialReference,
	type Workflow,
	workflowNode,
} from '../../../sandbox/n8n/workflow-file';
import { CREDENTIAL_TYPE } from './stack';

/**
 * Start → Items → n8n's own HTTP Request node, at its defaults, with the package's credential.
 *
 * @param items JavaScript that gives the list of `json`
 */
export function httpRequestWorkflow(
	parameters: INodeParameters,
	items: string,
	credential: CredentialReference,
): Workflow {
	const node = (name: string, type: string, version: number, own: INodeParameters) =>
		workflowNode(name, `n8n-nodes-base.${type}`, version, own);
	const to = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	const service = node('Service', 'httpRequest', 4.2, {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL_TYPE,
		options: {},
		...parameters,
	});
	return asWorkflow(
		{
			name: 'HTTP Request',
			nodes: [
				node('Start', 'manualTrigger', 1, {}),
				node('Items', 'code', 2, { jsCode: `return (${items}).map((json) => ({ json }));` }),
				{
					...service,
					credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } },
				},
			],
			connections: { Start: to('Items'), Items: to('Service') },
			settings: { executionOrder: 'v1' },
		},
		'The workflow of the HTTP Request node',
	);
}
