import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { instanceLists, instanceOperations, instanceProperties, instanceRouting } from './shared';

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
		subtitle:
			'={{ $parameter["operation"].replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) + ($parameter["dryRun"] === true ? " (dry run): " : ": ") + $parameter["resource"] }}',
		description: 'Read, update and delete process instances',
		defaults: { name: 'Workflow Instance Service' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Reads (Get), changes (Update) or permanently deletes (Bulk Delete) process instances by ID. It can't list, search or create instances, so the IDs have to come from a previous node, e.g. a table, a form or the Workflow Instance Service Trigger. Each operation processes all input items in one run, so don't use Loop Over Items.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		// Without this, n8n assumes that it can't execute a node with methods as a tool.
		requestDefaults: {},
		credentials: [{ name: 'workflowInstanceServiceApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				routing: instanceRouting,
				options: [{ name: 'Instance', value: 'instance' }],
				default: 'instance',
			},
			...instanceProperties,
		],
	};

	methods: INodeType['methods'] = { listSearch: instanceLists };

	customOperations: INodeType['customOperations'] = { instance: instanceOperations };
}
