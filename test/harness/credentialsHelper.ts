import { Credentials, getAdditionalKeys } from 'n8n-core';
import {
	ICredentialsHelper,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialsExpressionResolveValues,
	type IExecuteData,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { types } from './typeRegistry';

/** The stored fields of a credential; texts may be expressions. */
export type CredentialData = Record<string, string | number | boolean>;

/** The credential that runs have when a test gives none; the host does not exist. */
export const CREDENTIALS = { baseUrl: 'https://service.example/api', apiKey: 'key-of-a-test' };

/**
 * n8n's CredentialsHelper (credentials-helper.js of the package n8n) without the database: every
 * credential of a run has the data that the run was given. Defaults, expressions and
 * an `authenticate` function are handled as there.
 */
export class HarnessCredentialsHelper extends ICredentialsHelper {
	constructor(private readonly data: CredentialData) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = types.getCredential(typeName);
		if (typeof authenticate === 'function') return await authenticate(credentials, requestOptions);
		throw new Error(`It is not known here how '${typeName}' signs requests`);
	}

	async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async getCredentials(details: INodeCredentialsDetails, type: string): Promise<ICredentials> {
		const credentials = new Credentials(details, type);
		await credentials.setData(this.data);
		return credentials;
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_details: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		at?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		if (raw === true || at === undefined) return await Promise.resolve({ ...this.data });
		const properties = this.getCredentialsProperties(type);
		const defaults = NodeHelpers.getNodeParameters(properties, this.data, true, false, null, null);
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
		const { allowedHttpRequestDomains = 'all' } = this.data;
		return { ...resolved, allowedHttpRequestDomains };
	}

	async updateCredentials(): Promise<void> {
		throw await Promise.resolve(new Error('Test runs do not change credentials'));
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await this.updateCredentials();
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return types.getCredential(type).properties;
	}
}
