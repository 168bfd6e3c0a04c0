import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { pollInstances, triggerProperties } from './shared';

export class WorkflowInstanceServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workflow Instance Service Trigger',
		name: 'workflowInstanceServiceTrigger',
		icon: {
			light: 'file:workflowInstanceService.svg',
			dark: 'file:workflowInstanceService.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ [$parameter["events"]].flat().join(", ").replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) }}',
		// n8n's node panel shows both nodes as one, with this text.
		description:
			'Read, update and delete instances, and start a workflow when something happens to one',
		defaults: { name: 'Workflow Instance Service Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				'Polls instances whose IDs you list, 500 at most, and starts the workflow when one is completed, aborted, overdue, not found or changed. It does not find new instances, and the service has no webhooks.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		hints: [
			{
				message:
					'A test returns samples of the first 10 instances, as they are now. It does not change what the trigger remembers.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
			},
			{
				message:
					'Multiple items are returned when several events happen between two checks. Make sure your workflow can handle multiple items.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
			},
			{
				message:
					'Items with sample true are samples: the instance is real, but the event may not have happened, and what changed is an example.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'afterExecution',
			},
		],
		credentials: [{ name: 'workflowInstanceServiceApi', required: true }],
		properties: [...triggerProperties],
	};

	poll = pollInstances;
}
