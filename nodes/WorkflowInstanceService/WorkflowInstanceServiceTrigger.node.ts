import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { MOST_IDS, pollInstances, triggerProperties } from './shared';

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
		description: 'Read, update and delete process instances, and start workflows when they change',
		defaults: { name: 'Workflow Instance Service Trigger' },
		polling: true,
		builderHint: {
			searchHint: `Polls up to ${MOST_IDS} process instances by ID and starts the workflow when one is completed, aborted, overdue, changed or no longer found, e.g. for reminders, escalations or SLAs. It can't discover new instances, and the service has no webhooks.`,
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		hints: [
			{
				message:
					'A test returns samples for up to 10 instances. Their events may not have happened, but the nodes that follow change the real instances.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'always',
			},
		],
		credentials: [{ name: 'workflowInstanceServiceApi', required: true }],
		properties: [...triggerProperties],
	};

	poll = pollInstances;
}
