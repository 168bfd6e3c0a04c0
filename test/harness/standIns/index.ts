import type { INodeType } from 'n8n-workflow';
import { EngineRequestingAgent, ToolCallingAgent } from './agents';
import { Evaluate } from './evaluate';
import { ManualTrigger } from './manualTrigger';
import { NoOp } from './noOp';
import { SplitInBatches } from './splitInBatches';

export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
export const NO_OP = 'n8n-nodes-base.noOp';
export const SPLIT_IN_BATCHES = 'n8n-nodes-base.splitInBatches';
export const EVALUATE = 'harness.evaluate';
export const TOOL_CALLING_AGENT = 'harness.toolCallingAgent';
export const ENGINE_REQUESTING_AGENT = 'harness.engineRequestingAgent';

/** Nodes of n8n-nodes-base that test workflows need, and the harness' own, by full type name. */
export const standIns: Record<string, INodeType> = {
	[MANUAL_TRIGGER]: new ManualTrigger(),
	[NO_OP]: new NoOp(),
	[SPLIT_IN_BATCHES]: new SplitInBatches(),
	[EVALUATE]: new Evaluate(),
	[TOOL_CALLING_AGENT]: new ToolCallingAgent(),
	[ENGINE_REQUESTING_AGENT]: new EngineRequestingAgent(),
};
