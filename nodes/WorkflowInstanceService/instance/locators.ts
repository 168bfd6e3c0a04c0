import type { INodeProperties } from 'n8n-workflow';

import type { IdKind } from '../values/ids';

export const INSTANCE: IdKind = { label: 'Instance', segment: 'instances' };
export const PROCESS: IdKind = { label: 'Process', segment: 'processes' };

/** A resource locator with the two ways to name a thing: its id, or its resource URI. */
export function locator(
	{ label, segment }: IdKind,
	{
		hint,
		...rest
	}: Pick<INodeProperties, 'builderHint' | 'description' | 'hint' | 'name' | 'required'>,
): INodeProperties {
	// Without patterns: n8n gives a pattern a quarter of a second, and a busy machine that needs longer
	// would not start the workflow. Every value is checked before it is sent, an expression's too.
	return {
		...rest,
		displayName: label,
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		modes: [
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 123',
				hint: hint ?? `The number at the end of the ${label.toLowerCase()}'s link`,
			},
			{
				displayName: 'By URL',
				name: 'url',
				type: 'string',
				placeholder: `e.g. https://example.com/api/${segment}/123/`,
				hint: hint ?? `The ${label.toLowerCase()}'s link; only the number at its end is used`,
			},
		],
	};
}

export const instanceId = locator(INSTANCE, {
	name: 'instanceId',
	required: true,
	description: 'Which instance to work with, by its number or by its link',
	builderHint: {
		propertyHint:
			'Required. Usually mode "id" with an expression for the ID that an earlier node returns, evaluated for each input item.',
	},
});
