import {
	jsonParse,
	type AssignmentValue,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { describeStandIn } from './describe';

function isAssignment(value: unknown): value is AssignmentValue {
	return typeof value === 'object' && value !== null && 'name' in value && 'value' in value;
}

function assignedValue({ type, value }: AssignmentValue): IDataObject[string] {
	const isJsonText = typeof value === 'string' && (type === 'array' || type === 'object');
	return isJsonText ? jsonParse<object>(value) : value;
}

function assignedFields(context: IExecuteFunctions, index: number): IDataObject {
	const assignments: unknown = context.getNodeParameter('assignments.assignments', index, []);
	if (!Array.isArray(assignments)) return {};
	const fields = assignments.filter(isAssignment);
	return Object.fromEntries(fields.map((field) => [field.name, assignedValue(field)]));
}

/** Stands in for `n8n-nodes-base.set` 3.4 (manual mapping, names without dots). */
export class SetFields implements INodeType {
	description = describeStandIn(
		'set',
		[
			{
				displayName: 'Fields to Set',
				name: 'assignments',
				type: 'assignmentCollection',
				default: {},
			},
			{
				displayName: 'Include Other Input Fields',
				name: 'includeOtherFields',
				type: 'boolean',
				default: false,
			},
		],
		{ version: [3, 3.1, 3.2, 3.3, 3.4] },
	);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData().map((item, index) => ({
			json: {
				...(this.getNodeParameter('includeOtherFields', index, false) ? item.json : {}),
				...assignedFields(this, index),
			},
			pairedItem: { item: index },
		}));
		return await Promise.resolve([items]);
	}
}
