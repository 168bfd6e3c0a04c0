export { connect, type Link } from '../../sandbox/n8n/workflowFile';
export { CREDENTIAL_TYPE, NODE_TYPE, PACKAGE } from '../../sandbox/names';
export { CREDENTIALS } from './defaults';
export { expressionEngine } from './expression-engine';
export { takeUnexpectedRequests, useLocalServers } from './http/guard';
export { mockService, type MockService, type ServiceRequest } from './http/mock-service';
export { createNodeRunner, type NodeRunner } from './node-runner';
export { runAsTool, type ToolRun, type ToolRunOptions } from './run-as-tool';
export {
	NAMES,
	oneNode,
	runNode,
	type Downstream,
	type OneNode,
	type OneNodeRun,
	type RunNodeOptions,
} from './run-node';
export type { Evaluation, NodeRun, RunError, WorkflowRun } from './run-result';
export { runWorkflow, type RunOptions } from './run-workflow';
export * as nodeTypes from './stand-ins';
export { testCredential } from './test-credential';
export { registerCredentialType, registerNodeType } from './type-registry';
export { node, toItems, type NodeSettings, type WorkflowDefinition } from './workflow';
