import { getAdditionalKeys } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IHttpRequestOptions,
	NodeHelpers,
} from 'n8n-workflow';
import { types } from './typeRegistry';

/** The stored fields of a credential; texts may be expressions. */
export type CredentialData = Record<string, string | number | boolean>;

/** Rejects what n8n can do, but test runs can't. */
export async function unavailable(what: string): Promise<never> {
	return await Promise.reject(new Error(`Test runs have no ${what}`));
}

/**
 * n8n's CredentialsHelper (credentials-helper.js of the package n8n) without the database: every
 * credential of a run has the data that was passed to the run. Defaults, expressions and
 * an `authenticate` function are handled as in the original.
 */
export const credentialsHelper = (data: CredentialData): ICredentialsHelper => ({
	getParentTypes: () => [],
	isCredentialUsableByNode: () => true,
	getCredentialsProperties: (type) => types.getCredential(type).properties,
	preAuthentication: async () => await Promise.resolve(undefined),
	runPreAuthentication: async () => await Promise.resolve(undefined),
	getCredentials: async () => await unavailable('stored credentials'),
	updateCredentials: async () => await unavailable('stored credentials'),
	updateCredentialsOauthTokenData: async () => await unavailable('OAuth'),

	async authenticate(credentials, type, request: IHttpRequestOptions) {
		const { authenticate } = types.getCredential(type);
		if (typeof authenticate === 'function') return await authenticate(credentials, request);
		return await unavailable(`way to sign requests for '${type}'`);
	},

	async getDecrypted(additionalData, _details, type, mode, executeData, raw, at) {
		if (raw === true || at === undefined) return await Promise.resolve({ ...data });
		const { properties } = types.getCredential(type);
		const defaults = NodeHelpers.getNodeParameters(properties, data, true, false, null, null);
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		const resolved: ICredentialDataDecryptedObject = Object(
			at.workflow.expression.getParameterValue(
				defaults ?? {},
				at.runExecutionData,
				at.runIndex,
				at.itemIndex,
				at.node.name,
				at.connectionInputData,
				mode,
				keys,
				executeData,
			),
		);
		// n8n adds this field to each credential, without an entry in the type.
		const { allowedHttpRequestDomains = 'all' } = data;
		return { ...resolved, allowedHttpRequestDomains };
	},
});
