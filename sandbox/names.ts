/** The package's name, which is the first half of its node types' full names. */
export const PACKAGE = 'n8n-nodes-workflow-instance-service';

/** The full type of the node; n8n appends `Tool` for its variant for agents. */
export const NODE_TYPE = `${PACKAGE}.workflowInstanceService`;
export const TRIGGER_TYPE = `${NODE_TYPE}Trigger`;
export const CREDENTIAL_TYPE = 'workflowInstanceServiceApi';
