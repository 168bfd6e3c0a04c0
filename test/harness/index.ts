export { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE } from '../../sandbox/names';
export { CREDENTIALS } from './credentialsHelper';
export { expressionEngine } from './expressionEngine';
export { mockService, takeUnexpectedRequests, useLocalServers } from './network';
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
export { describeStandIn } from './standIns';
export { testCredential } from './testCredential';
export { registerNodeType } from './typeRegistry';
export { clockOfSandbox, startVirtualClock, useVirtualClock, VirtualClock } from './virtualClock';
export { node } from './workflow';
