import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import type { IdKind } from '../values/ids';

export const INSTANCE: IdKind = { label: 'Instance', segment: 'instances' };
export const PROCESS: IdKind = { label: 'Process', segment: 'processes' };

// Without patterns: n8n gives a pattern a quarter of a second, and a busy machine that needs longer
// would not start the workflow. Every value is checked before it is sent, an expression's too.
function textMode(own: Omit<INodePropertyMode, 'type'>): INodePropertyMode {
	return { ...own, type: 'string' };
}

export const BY_ID = textMode({ displayName: 'By ID', name: 'id', placeholder: 'e.g. 123' });

export function byUrl({ segment }: IdKind): INodePropertyMode {
	const placeholder = `e.g. https://example.com/api/${segment}/123/`;
	return textMode({ displayName: 'By URL', name: 'url', placeholder });
}

type Own = Pick<INodeProperties, 'description' | 'displayName' | 'hint' | 'name'>;

/**
 * A resource locator that offers what the chosen instance has, beside other modes. Without
 * `loadOptionsDependsOn`: with it, n8n empties the field, in any mode, whenever the expression in
 * 'Instance' gets another value, e.g. its first data.
 *
 * @param searchListMethod the method of the node that lists it
 */
export function listLocator(
	{ displayName, ...own }: Own,
	searchListMethod: string,
	otherModes: INodePropertyMode[],
): INodeProperties {
	return {
		...own,
		displayName,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Choose a ${displayName.toLowerCase()}...`,
				typeOptions: { searchListMethod, searchable: true },
			},
			...otherModes,
		],
	};
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
