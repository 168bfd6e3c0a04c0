import {
	NodeApiError,
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IExecutePaginationFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

const CREDENTIAL = 'fixtureApi';

/** Signs requests in code. */
export class FixtureCredential implements ICredentialType {
	name = CREDENTIAL;

	displayName = 'Fixture API';

	properties: INodeProperties[] = [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
		{ displayName: 'API Key', name: 'apiKey', type: 'string', default: '' },
	];

	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		await Promise.resolve({
			...options,
			headers: { ...options.headers, authorization: `Api-Key ${String(apiKey)}` },
		});
}

/** The author's way to continue on an error: an item that is paired and has no `error` of its own. */
async function readPaired(
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: this.getItemIndex() };
	const { baseUrl } = await this.getCredentials(CREDENTIAL);
	request.options.baseURL = String(baseUrl);
	request.options.url = `/instances/${String(this.getNodeParameter('id'))}/`;
	try {
		const items = await this.makeRoutingRequest(request);
		return items.map(({ json }) => ({ json, pairedItem }));
	} catch (error) {
		if (!this.continueOnFail() || !(error instanceof NodeApiError)) throw error;
		return [{ json: { error: error.message, details: { code: error.httpCode } }, pairedItem }];
	}
}

/** A small declarative node with n8n's plain way to read one instance, and the hooked way. */
export class FixtureNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Fixture',
		name: 'fixture',
		group: ['transform'],
		version: 1,
		description: 'Reads one instance',
		defaults: { name: 'Fixture' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: { headers: { accept: 'application/json' } },
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				default: 'plain',
				options: [
					{
						name: 'Plain',
						value: 'plain',
						routing: {
							request: {
								method: 'GET',
								baseURL: '={{ $credentials.baseUrl }}',
								url: '=/instances/{{ $parameter.id }}/',
							},
						},
					},
					{
						name: 'Hooked',
						value: 'hooked',
						routing: {
							request: { method: 'GET' },
							send: { paginate: true },
							operations: { pagination: readPaired },
						},
					},
				],
			},
			{ displayName: 'ID', name: 'id', type: 'string', default: '', required: true },
		],
	};
}
