import type { INodeParameters } from 'n8n-workflow';

import {
	type CredentialReference,
	newWorkflow,
	type Workflow,
	workflowNode,
} from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE } from '../../../sandbox/names';

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
	const service = node('Service', 'httpRequest', 4.2, {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL_TYPE,
		options: {},
		...parameters,
	});
	const credentials = { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } };
	return newWorkflow(
		'HTTP Request',
		[
			node('Start', 'manualTrigger', 1, {}),
			node('Items', 'code', 2, { jsCode: `return (${items}).map((json) => ({ json }));` }),
			{ ...service, credentials },
		],
		[
			{ from: 'Start', to: 'Items' },
			{ from: 'Items', to: 'Service' },
		],
	);
}
