import { NodeConnectionTypes, type INodeProperties, type INodeTypeDescription } from 'n8n-workflow';

/**
 * The description of a stand-in: one main input, one main output, and what a caller overrides.
 *
 * @param name - the type's name without its package
 */
export function describeStandIn(
	name: string,
	properties: INodeProperties[],
	overrides: Partial<INodeTypeDescription> = {},
): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: 'A stand-in for tests',
		defaults: { name },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties,
		...overrides,
	};
}
