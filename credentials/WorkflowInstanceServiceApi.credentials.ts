import type {
	IAuthenticate,
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { bareKey, normalizeBaseUrl } from '../nodes/WorkflowInstanceService/api/credential';

const CHECK_BASE_URL =
	"Check the 'Base URL': it is the address of your service and ends in /api, e.g. https://example.com/api.";

const REFUSALS: Record<number, string> = {
	301: `The 'Base URL' redirects to another address. ${CHECK_BASE_URL}`,
	302: `The 'Base URL' redirects to another address, often a sign-in page. ${CHECK_BASE_URL}`,
	303: `The 'Base URL' redirects to another address. ${CHECK_BASE_URL}`,
	307: `The 'Base URL' redirects to another address. ${CHECK_BASE_URL}`,
	308: `The 'Base URL' redirects to another address. ${CHECK_BASE_URL}`,
	400: `The service did not understand the request (400). ${CHECK_BASE_URL}`,
	401: "The service refused the 'API Key' (401). Copy the key again; an administrator finds it in the company settings, under API keys.",
	403: "The service knows the 'API Key' but does not allow it to be used (403). Ask an administrator for a key that is active.",
	405: `There is no Workflow Instance Service at this address (405). ${CHECK_BASE_URL}`,
	429: 'The service is receiving too many requests (429). Wait a minute, then test again.',
	500: 'The service could not handle the request (500). Try again later, or ask the administrator of the service.',
	502: 'The service cannot be reached behind its gateway (502). Try again later.',
	503: 'The service is not available at the moment (503). Try again later.',
	504: 'The service did not respond to its gateway in time (504). Try again later.',
};

const statusRules = Object.entries(REFUSALS).map(
	([status, message]): IAuthenticateRuleResponseCode => ({
		type: 'responseCode',
		properties: { value: Number(status), message },
	}),
);

/** A response that is not JSON reaches the rules as text: then this is some other website. */
const notThisInterface: IAuthenticateRuleResponseSuccessBody = {
	type: 'responseSuccessBody',
	properties: {
		key: 'constructor.name',
		value: 'String',
		message: `Something responds at this address, but not a Workflow Instance Service. ${CHECK_BASE_URL}`,
	},
};

/** Where a request goes: n8n's HTTP Request node says `uri` where declarative nodes say `url`. */
function addressOf(requestOptions: IHttpRequestOptions): string {
	return 'uri' in requestOptions ? String(requestOptions.uri) : requestOptions.url;
}

export class WorkflowInstanceServiceApi implements ICredentialType {
	name = 'workflowInstanceServiceApi';

	displayName = 'Workflow Instance Service API';

	icon: Icon = {
		light: 'file:../nodes/WorkflowInstanceService/workflowInstanceService.svg',
		dark: 'file:../nodes/WorkflowInstanceService/workflowInstanceService.dark.svg',
	};

	documentationUrl =
		'https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/api',
			hint: 'Ends in /api',
			description:
				'The address of your service up to and including /api. When the test shows a code like ECONNREFUSED or ENOTFOUND, check the host and the port.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'From the company settings of the service, under API keys',
			description:
				'An administrator creates it in the company settings of the service, in the section for API keys',
		},
	];

	/**
	 * Adds `Authorization: Api-Key <key>` (docs/service-interface.md#authentication). A function
	 * rather than expressions, because n8n evaluates these again for each request
	 * (docs/n8n-engine.md#cost-of-an-expression).
	 *
	 * @throws UserError when the request would carry the key to another origin than the base URL's
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const baseUrl = normalizeBaseUrl(credentials.baseUrl);
		const allowed = new URL(baseUrl).origin;
		const target = new URL(addressOf(requestOptions), `${requestOptions.baseURL ?? baseUrl}/`);
		if (target.origin !== allowed) {
			throw new UserError(
				`The API key of this credential is only sent to ${allowed}, not to ${target.origin}. Use a URL that starts with the credential's 'Base URL'.`,
			);
		}
		requestOptions.sendCredentialsOnCrossOriginRedirect = false;
		requestOptions.headers = {
			...requestOptions.headers,
			Authorization: `Api-Key ${bareKey(credentials.apiKey)}`,
		};
		return requestOptions;
	};

	/**
	 * Reads an instance that cannot exist: a valid key gets "not found" as JSON, whatever it may read.
	 * The rules can only turn a result into a refusal (docs/n8n-engine.md#credential-test): statuses
	 * outside `except` do not throw, so their body is looked at instead.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/instances/0/',
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: { ignore: true, except: Object.keys(REFUSALS).map(Number) },
		},
		// n8n applies both kinds of rules side by side; its type only knows lists of one kind.
		rules: [...statusRules, notThisInterface] as ICredentialTestRequest['rules'],
	};
}
