import type { INodeType } from 'n8n-workflow';
import { messageOf } from '../../../sandbox/guards';
import { engineRequestingAgent, toolCallingAgent } from './agents';
import { describeStandIn } from './describe';

export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
export const NO_OP = 'n8n-nodes-base.noOp';
export const EVALUATE = 'harness.evaluate';
export const TOOL_CALLING_AGENT = 'harness.toolCallingAgent';
export const ENGINE_REQUESTING_AGENT = 'harness.engineRequestingAgent';

/** Emits one empty item. */
const manualTrigger: INodeType = {
	description: describeStandIn('manualTrigger', [], { group: ['trigger'], inputs: [] }),
	async trigger() {
		return {
			manualTriggerFunction: async () => this.emit([this.helpers.returnJsonArray([{}])]),
		};
	},
};

/** Hands its items on. */
const noOp: INodeType = {
	description: describeStandIn('noOp', []),
	async execute() {
		return [this.getInputData()];
	},
};

/**
 * Evaluates its parameter `expression` for every item. Each item becomes `{ value }`, or
 * `{ unresolved }` with n8n's message when the expression cannot be resolved there.
 */
const evaluate: INodeType = {
	description: describeStandIn('evaluate', [
		{ displayName: 'Expression', name: 'expression', type: 'string', default: '' },
	]),
	async execute() {
		const valueAt = (item: number) => {
			try {
				return { value: this.getNodeParameter('expression', item) };
			} catch (error) {
				return { unresolved: messageOf(error) };
			}
		};
		return [this.getInputData().map((_, item) => ({ json: valueAt(item), pairedItem: { item } }))];
	},
};

/** Nodes of n8n-nodes-base that test workflows need, and the harness' own, by full type name. */
export const standIns: Record<string, INodeType> = {
	[MANUAL_TRIGGER]: manualTrigger,
	[NO_OP]: noOp,
	[EVALUATE]: evaluate,
	[TOOL_CALLING_AGENT]: toolCallingAgent,
	[ENGINE_REQUESTING_AGENT]: engineRequestingAgent,
};
