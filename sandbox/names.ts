/** The package's name, which is the first half of its node types' full names. */
export const PACKAGE = 'n8n-nodes-workflow-instance-service';

/** The full type of the node; n8n calls its variant for agents the same with `Tool` behind. */
export const NODE_TYPE = `${PACKAGE}.workflowInstanceService`;
export const TRIGGER_TYPE = `${NODE_TYPE}Trigger`;
export const CREDENTIAL_TYPE = 'workflowInstanceServiceApi';
