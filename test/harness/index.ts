export { connect, type Link } from '../../sandbox/n8n/workflowFile';
export { CREDENTIAL_TYPE, NODE_TYPE, PACKAGE, TRIGGER_TYPE } from '../../sandbox/names';
export { CREDENTIALS } from './defaults';
export { expressionEngine } from './expressionEngine';
export { takeUnexpectedRequests, useLocalServers } from './http/guard';
export { mockService, type MockService, type ServiceRequest } from './http/mockService';
export { createNodeRunner, type NodeRunner, useNodeRunner } from './nodeRunner';
export { createTrigger, type Trigger, type TriggerOptions } from './trigger';
export { runAsTool, type ToolRun, type ToolRunOptions } from './runAsTool';
export {
	NAMES,
	oneNode,
	runNode,
	type Downstream,
	type OneNode,
	type OneNodeRun,
	type RunNodeOptions,
} from './runNode';
export type { Evaluation, NodeRun, RunError, WorkflowRun } from './runResult';
export { runWorkflow, type RunOptions } from './runWorkflow';
export * as nodeTypes from './standIns';
export { testCredential } from './testCredential';
export { registerCredentialType, registerNodeType } from './typeRegistry';
export { clockOfSandbox, useVirtualClock, VirtualClock } from './virtualClock';
export { node, toItems, type NodeSettings, type WorkflowDefinition } from './workflow';
