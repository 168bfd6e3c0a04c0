import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { pathOf } from '../n8n/expressions';
import { type Job, jobOf, type NodeExecution, type Work } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, type IdKind, INSTANCE, instanceIdIn, parseLocator } from '../values/ids';
import { isEmpty } from '../values/text';
import { asUserFacingError } from '../values/userFacingError';
import { assertNoRowId, assertNotJoined, emptyId } from './idParameters';

// Kept apart from the rest of a mode, which lint rules would otherwise mistake for a parameter.
const TEXT: Pick<INodePropertyMode, 'type'> = { type: 'string' };
const LIST: Pick<INodePropertyMode, 'type'> = { type: 'list' };

// No patterns: n8n stops matching one after a quarter of a second, and if a busy machine needs longer, the workflow
// doesn't start. Every value is checked before it's sent, even an expression's.
export const BY_ID = { ...TEXT, displayName: 'By ID', name: 'id', placeholder: 'e.g. 123' };

export function byUrl({ segment }: IdKind): INodePropertyMode {
	const placeholder = `e.g. https://example.com/api/${segment}/123/`;
	return { ...TEXT, displayName: 'By URL', name: 'url', placeholder };
}

/**
 * The mode that lists what the chosen instance has. It doesn't use `loadOptionsDependsOn`, with which n8n empties
 * the field, in any mode, whenever the expression in 'Instance' returns another value, such as its first one.
 */
export function fromList(
	searchListMethod: string,
	own: Pick<INodePropertyMode, 'hint' | 'placeholder'>,
): INodePropertyMode {
	const typeOptions = { searchListMethod, searchable: true };
	return { ...LIST, ...own, displayName: 'From List', name: 'list', typeOptions };
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
		{ ...BY_ID, hint: "The number after /instances/ in the instance's URL" },
		byUrl(INSTANCE),
	],
};

/** Returns a function that reads the ID of an item from a parameter, if it's a single one. */
export function idIn(form: INodeProperties) {
	return (parameters: ItemParameters): number | undefined => {
		try {
			return instanceIdIn(chosenIn(parameters.get(form)));
		} catch {
			return undefined;
		}
	};
}

/** Returns a function that makes a job for the instance of an item. Errors include the ID of the instance. */
export function forInstance(
	{ baseUrl, firstItem, isTool }: Pick<NodeExecution, 'baseUrl' | 'firstItem' | 'isTool'>,
	workOn: (id: number, parameters: ItemParameters) => Work,
) {
	const orExpression = isTool ? '' : ', or an expression that returns one';
	const enterId = `Enter the ID or the URL of an instance${orExpression}.`;
	// Once, since thousands of items may be checked.
	const path = pathOf(chosenIn(firstItem.entered(instanceId)));
	return (parameters: ItemParameters): Job[] => {
		const value = parameters.get(instanceId);
		if (isEmpty(chosenIn(value))) throw emptyId(instanceId, parameters, isTool, enterId);
		assertNotJoined(instanceId, parameters);
		const id = parseLocator(value, INSTANCE, baseUrl);
		assertNoRowId(instanceId, path, parameters.item, [id]);
		try {
			return [jobOf(id, [parameters.itemIndex], workOn(id, parameters))];
		} catch (cause) {
			throw asUserFacingError(cause).with({ id });
		}
	};
}
