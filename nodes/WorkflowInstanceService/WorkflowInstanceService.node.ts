import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { instanceProperties } from './resources/instance';

export class WorkflowInstanceService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workflow Instance Service',
		name: 'workflowInstanceService',
		icon: {
			light: 'file:workflowInstanceService.svg',
			dark: 'file:workflowInstanceService.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Read, update and delete the instances of a Workflow Instance Service',
		defaults: { name: 'Workflow Instance Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workflowInstanceServiceApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [{ name: 'Instance', value: 'instance' }],
				default: 'instance',
			},
			...instanceProperties,
		],
	};
}
