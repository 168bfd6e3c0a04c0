import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeStandIn } from './describe';

function evaluate(context: IExecuteFunctions, index: number): IDataObject {
	try {
		return { value: context.getNodeParameter('expression', index) };
	} catch (error) {
		return { unresolved: error instanceof Error ? error.message : String(error) };
	}
}

/**
 * Evaluates its parameter `expression` for every item. Each item becomes `{ value }`, or
 * `{ unresolved }` with n8n's message when the expression cannot be resolved there.
 */
export class Evaluate implements INodeType {
	description = describeStandIn('evaluate', [
		{ displayName: 'Expression', name: 'expression', type: 'string', default: '' },
	]);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData().map((_item, index) => ({
			json: evaluate(this, index),
			pairedItem: { item: index },
		}));
		return await Promise.resolve([items]);
	}
}
