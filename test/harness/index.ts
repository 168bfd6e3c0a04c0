export { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE } from '../../sandbox/names';
export { CREDENTIALS } from './defaults';
export { expressionEngine } from './expressionEngine';
export { takeUnexpectedRequests, useLocalServers } from './http/guard';
export { mockService } from './http/mockService';
export { openList } from './openList';
export { createTrigger, type Trigger, type TriggerOptions } from './trigger';
export { runAsTool, type ToolRunOptions } from './runAsTool';
export {
	createNodeRunner,
	type OneNodeRun,
	runNode,
	type RunNodeOptions,
	useNodeRunner,
} from './runNode';
export { testCredential } from './testCredential';
export { registerCredentialType, registerNodeType } from './typeRegistry';
export { clockOfSandbox, startVirtualClock, useVirtualClock, VirtualClock } from './virtualClock';
export { node } from './workflow';
