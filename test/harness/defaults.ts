import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The package's name, which is the first half of its node types' full names. */
export const PACKAGE = 'n8n-nodes-workflow-instance-service';

/** The node under test, unless a test names another type. */
export const SERVICE_NODE = `${PACKAGE}.workflowInstanceService`;

/** The credential type of the node under test. */
export const SERVICE_CREDENTIAL = 'workflowInstanceServiceApi';

/** The credential that runs have when a test gives none; the host does not exist. */
export const CREDENTIALS = {
	baseUrl: 'https://service.example/api',
	apiKey: 'key-of-a-test',
} satisfies ICredentialDataDecryptedObject;
