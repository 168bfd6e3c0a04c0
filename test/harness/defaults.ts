import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The credential that runs have when a test gives none; the host does not exist. */
export const CREDENTIALS = {
	baseUrl: 'https://service.example/api',
	apiKey: 'key-of-a-test',
} satisfies ICredentialDataDecryptedObject;
