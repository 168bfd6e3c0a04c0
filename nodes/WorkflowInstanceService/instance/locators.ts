import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { hasExpression } from '../n8n/expressions';
import { type Job, jobOf, type NodeExecution, type Work } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, type IdKind, INSTANCE, instanceIdIn, parseLocator } from '../values/ids';
import { asObject } from '../values/json';
import { isEmpty, trimmed } from '../values/text';
import { asUserFacingError, UserFacingError } from '../values/userFacingError';

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

/** An expression that reads an `id`, from the item or from that of another node. */
const READS_ID = /(?:\.\s*|\[\s*["'])id\b/i;
const READS_INSTANCE_ID = /instance[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance[ _-]?(?:id|url)$|^instance$/i;

/** An item's filled columns for the ID of an instance. One that is just called _Instance_ may contain something else. */
function instanceColumns(json: unknown) {
	return Object.entries(asObject(json))
		.filter(([name, value]) => INSTANCE_COLUMN.test(trimmed(name)) && !isEmpty(value))
		.map(([name, value]) => ({ name, id: instanceIdIn(value) }))
		.filter(({ name, id }) => id !== undefined || !/^instance$/i.test(trimmed(name)));
}

/** The error about an item without an ID, which says where else the item has one. */
function emptyInstance(
	{ entered, json }: Pick<ItemParameters, 'entered' | 'json'>,
	isTool: boolean,
) {
	const column = instanceColumns(json).find(({ id }) => id !== undefined)?.name;
	// In the trigger's items, it's inside `instance`.
	const isEvent = asObject(asObject(json).instance).id !== undefined;
	const path = isEvent ? '.instance.id' : column && `[${JSON.stringify(column)}]`;
	const example = path ? ` Use e.g. {{ $json${path} }}.` : '';
	const advice =
		!isTool && hasExpression(entered(instanceId))
			? `Its expression returned nothing for this item. Check the name of the column.${example}`
			: 'Enter the ID or the URL of an instance, or an expression that returns one.';
	return new UserFacingError(`'${INSTANCE.label}' is empty`, advice);
}

/**
 * Throws UserFacingError if an expression returned the ID of a table's row, although the row also has the ID of an
 * instance, and the two differ.
 */
export function assertNoRowId(
	form: INodeProperties,
	{ entered, json }: Pick<ItemParameters, 'entered' | 'json'>,
	ids: readonly number[],
): void {
	const expression = String(chosenIn(entered(form)));
	// If several rows are read together, the instance of another row may have this row's ID.
	if (!READS_ID.test(expression) || (READS_INSTANCE_ID.test(expression) && ids.length > 1)) return;
	const cells = Object.entries(asObject(json));
	const [, row] = cells.find(([name]) => /^id$/i.test(trimmed(name))) ?? [];
	const columns = instanceColumns(json);
	const column = columns[0]?.name;
	const isRowId = ids.includes(Number(row)) && columns.every(({ id }) => id !== Number(row));
	if (column === undefined || !isRowId) return;
	throw new UserFacingError(
		`The expression in '${form.displayName}' uses id, but the input also has ${column}`,
		`If id is the ID of a table's row, use ${column}. Otherwise, remove ${column} from the items with an Edit Fields node.`,
	);
}

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
	{ baseUrl, isTool }: Pick<NodeExecution, 'baseUrl' | 'isTool'>,
	workOn: (id: number, parameters: ItemParameters) => Work,
) {
	return (parameters: ItemParameters): Job[] => {
		const value = parameters.get(instanceId);
		if (isEmpty(chosenIn(value))) throw emptyInstance(parameters, isTool);
		const id = parseLocator(value, INSTANCE, baseUrl);
		assertNoRowId(instanceId, parameters, [id]);
		try {
			return [jobOf(id, [parameters.itemIndex], workOn(id, parameters))];
		} catch (cause) {
			throw asUserFacingError(cause).with({ id });
		}
	};
}
