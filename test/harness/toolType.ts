import {
	NodeConnectionTypes,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

const DESCRIPTION_TYPE: INodeProperties = {
	displayName: 'Tool Description',
	name: 'descriptionType',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Set Automatically', value: 'auto' },
		{ name: 'Set Manually', value: 'manual' },
	],
	default: 'auto',
};

function toolDescription(description: string): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		default: description,
		required: true,
		displayOptions: { show: { descriptionType: ['manual'] } },
	};
}

function replaced(description: INodeTypeDescription): INodeTypeDescription {
	const { usableAsTool } = description;
	const replacements = typeof usableAsTool === 'object' ? usableAsTool.replacements : undefined;
	return { ...description, ...replacements };
}

/**
 * The type that n8n offers to AI agents for a node that is `usableAsTool`: the same code, with a
 * tool's outputs and two more properties (source: tool-generation/ai-tools.js of the package n8n).
 */
export function asTool(type: INodeType): INodeType {
	const description = replaced(type.description);
	return {
		...type,
		execute: type.execute,
		description: {
			...description,
			usableAsTool: undefined,
			name: `${description.name}Tool`,
			displayName: `${description.displayName} Tool`,
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
			properties: [
				DESCRIPTION_TYPE,
				toolDescription(description.description),
				...description.properties,
			],
		},
	};
}
