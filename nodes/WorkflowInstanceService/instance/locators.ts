import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import type { IdKind } from '../values/ids';

export const INSTANCE: IdKind = { label: 'Instance', segment: 'instances' };
export const PROCESS: IdKind = { label: 'Process', segment: 'processes' };

// Without patterns: n8n gives a pattern a quarter of a second, and a busy machine that needs longer
// would not start the workflow. Every value is checked before it is sent, an expression's too.
function mode(
	type: INodePropertyMode['type'],
	own: Omit<INodePropertyMode, 'type'>,
): INodePropertyMode {
	return { ...own, type };
}

export const BY_ID = mode('string', { displayName: 'By ID', name: 'id', placeholder: 'e.g. 123' });

export function byUrl({ segment }: IdKind): INodePropertyMode {
	const placeholder = `e.g. https://example.com/api/${segment}/123/`;
	return mode('string', { displayName: 'By URL', name: 'url', placeholder });
}

/**
 * The mode that offers what the chosen instance has. Without `loadOptionsDependsOn`: with it, n8n empties
 * the field, in any mode, whenever the expression in 'Instance' gets another value, e.g. its first data.
 *
 * @param searchListMethod the method of the node that lists it
 */
export function fromList(
	searchListMethod: string,
	own: Pick<INodePropertyMode, 'hint' | 'placeholder'>,
): INodePropertyMode {
	return mode('list', {
		...own,
		displayName: 'From List',
		name: 'list',
		typeOptions: { searchListMethod, searchable: true },
	});
}

export const instanceId: INodeProperties = {
	displayName: INSTANCE.label,
	name: 'instanceId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'id', value: '' },
	description:
		"The instance to use, by ID or URL. The service can't list instances, so use an ID from a previous node or from the end of the instance's URL, …/instances/123/.",
	builderHint: {
		propertyHint:
			'Required. Usually set mode to "id" and value to an expression that returns the ID from a previous node. It is evaluated for each input item.',
	},
	modes: [
		{ ...BY_ID, hint: "The number at the end of the instance's URL" },
		{ ...byUrl(INSTANCE), hint: 'Only the ID at the end of the URL is used' },
	],
};
