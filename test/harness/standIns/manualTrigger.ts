import type { INodeType, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { describeStandIn } from './describe';

/** Stands in for `n8n-nodes-base.manualTrigger`: emits one empty item. */
export class ManualTrigger implements INodeType {
	description = describeStandIn('manualTrigger', [], { group: ['trigger'], inputs: [] });

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		const manualTriggerFunction = async (): Promise<void> => {
			this.emit([this.helpers.returnJsonArray([{}])]);
			await Promise.resolve();
		};
		return await Promise.resolve({ manualTriggerFunction });
	}
}
