import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import type { IdKind } from '../../values/ids';

export const INSTANCE: IdKind = { label: 'Instance', segment: 'instances' };
export const PROCESS: IdKind = { label: 'Process', segment: 'processes' };

/**
 * The same fields, shown for some operations of the instance resource. A parameter that several
 * operations have stands once among the properties of the node: n8n evaluates its expression for
 * each time that it is listed, shown or not.
 */
export function shownFor(operations: string[], fields: INodeProperties[]): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { resource: ['instance'], operation: operations, ...field.displayOptions?.show },
		},
	}));
}

/** A resource locator with the two ways to name a thing: its id, or its resource URI. */
export function locator(
	{ label, segment }: IdKind,
	{ hint, ...rest }: Pick<INodeProperties, 'description' | 'hint' | 'name' | 'required'>,
): INodeProperties {
	// n8n holds an empty value against a pattern too, and then does not start the workflow; so only a
	// required one has patterns. What is entered is checked in any case before it is sent.
	const validation = (regex: string, errorMessage: string): INodePropertyMode['validation'] =>
		rest.required ? [{ type: 'regex', properties: { regex, errorMessage } }] : undefined;
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
				validation: validation(
					'\\s*([1-9][0-9]*)?\\s*',
					`'${label}' takes a whole number above zero, e.g. 123`,
				),
			},
			{
				displayName: 'By URL',
				name: 'url',
				type: 'string',
				placeholder: `e.g. https://example.com/api/${segment}/123/`,
				hint: hint ?? `The ${label.toLowerCase()}'s link; only the number at its end is used`,
				validation: validation(
					`\\s*(https?://[^\\s?#]+/${segment}/[1-9][0-9]*/?)?\\s*`,
					`'${label}' takes a link that ends in /${segment}/ and a number, e.g. https://example.com/api/${segment}/123/`,
				),
			},
		],
	};
}

export const instanceId = locator(INSTANCE, {
	name: 'instanceId',
	required: true,
	description: 'Which instance to work with, by its number or by its link',
});
