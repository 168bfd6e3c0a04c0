import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeStandIn } from './describe';

/** Stands in for `n8n-nodes-base.noOp`: hands its items on. */
export class NoOp implements INodeType {
	description = describeStandIn('noOp', []);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await Promise.resolve([this.getInputData()]);
	}
}
