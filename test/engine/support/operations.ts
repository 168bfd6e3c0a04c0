import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { CLEARABLE } from '../../../nodes/WorkflowInstanceService/instance/update/changes';
import { asObject, isObject } from '../../../nodes/WorkflowInstanceService/values/json';
import { formOf, OPTIONS } from '../../../scripts/parametersPage';
import { locator } from './sandbox';

/** What an operation needs, besides the instance, to do something. */
const NEEDED: Record<string, INodeParameters> = { update: { updateFields: { name: 'New' } } };
const IDS = ['instanceId', 'instanceIds'];

/** Sets or clears each field, so that Update has nothing to read. */
export const WHOLE_UPDATE: INodeParameters = {
	updateFields: { process: { ...locator(11) } },
	clearFields: CLEARABLE.map(({ form }) => form.name),
};

export const OPERATIONS = OPTIONS.map(({ value }) => String(value));

const valueOf = ({ type }: INodeProperties, value: string) =>
	type === 'resourceLocator' ? { ...locator(value) } : value;

/** Parameters with which an operation does something with the instance of each item, using an expression for its ID. */
export function parametersOf(operation: string, id = '={{ $json.id }}'): INodeParameters {
	const fields = formOf(operation).filter(({ name, required }) => required || IDS.includes(name));
	const values = fields.map((field) => [field.name, valueOf(field, id)]);
	return { operation, ...Object.fromEntries(values), ...NEEDED[operation] };
}

/** Both, merged at every level. */
function merged(first: INodeParameters, second: INodeParameters): INodeParameters {
	const entries = Object.entries(second).map(([key, value]) => {
		const isInside = isObject(value) && !('__rl' in value);
		return [key, isInside ? { ...asObject(first[key]), ...value } : value];
	});
	return { ...first, ...Object.fromEntries(entries) };
}

/** The fields of a form that accept expressions, however deep, each set to `value`, by their paths. */
function fieldsIn(fields: INodeProperties[], value: string): Array<[string, INodeParameters]> {
	return fields.flatMap((field): Array<[string, INodeParameters]> => {
		const { name, options = [] } = field;
		if (field.type === 'notice' || field.noDataExpression) return [];
		const groups = options.filter((option) => 'values' in option);
		const rows = groups.flatMap((group) =>
			fieldsIn(group.values, value).map(([path, inner]): [string, INodeParameters] => [
				`${group.name}.${path}`,
				{ [group.name]: [inner] },
			]),
		);
		const inner = options.filter((option) => 'type' in option);
		const parts = fieldsIn(inner, value);
		if (rows.length + parts.length === 0) return [[name, { [name]: valueOf(field, value) }]];
		return [...rows, ...parts].map(([path, inner]) => [`${name}.${path}`, { [name]: inner }]);
	});
}

/** For each parameter of an operation, the parameters with which it does something, with `value` in that one. */
export const parametersWith = (operation: string, value: string, id?: string) =>
	fieldsIn(formOf(operation), value).map(([path, field]): [string, INodeParameters] => [
		path,
		merged(parametersOf(operation, id), field),
	]);
