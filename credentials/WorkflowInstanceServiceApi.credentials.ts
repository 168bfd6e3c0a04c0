import type {
	IAuthenticate,
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import {
	assertKeyStaysHidden,
	bareKey,
	HEADERS,
	normalizeBaseUrl,
} from '../nodes/WorkflowInstanceService/api/credential';
import { failureRow } from '../nodes/WorkflowInstanceService/api/failures';

/** All but 404: a "not found" as JSON shows that the service accepted the key. */
const rejectedStatuses = Array.from({ length: 700 }, (_, index) => 300 + index).filter(
	(status) => status !== 404,
);

/** The test's message for any status except a JSON 404: what happened, then what to do. */
function testMessage(status: number): string {
	const { message, advice, testAdvice = advice } = failureRow(`${status} page`);
	const words = message.replace(/ for \{(part|subject)\}| to \{target\}/g, '');
	return `${words.replace('{part}', 'the service')} (${status}). ${testAdvice}`;
}

const statusRules: IAuthenticateRuleResponseCode[] = rejectedStatuses.map((value) => ({
	type: 'responseCode',
	properties: { value, message: testMessage(value) },
}));

const otherWebsite = failureRow('404 page');

// An alias of statusRules: n8n applies both kinds of rules together, but its type only allows lists of one kind.
const rules: Array<IAuthenticateRuleResponseCode | IAuthenticateRuleResponseSuccessBody> =
	statusRules;
rules.push({
	type: 'responseSuccessBody',
	// A response that isn't JSON reaches the rules as text, and is from some other website.
	properties: {
		key: 'constructor.name',
		value: 'String',
		message: `${otherWebsite.message}. ${otherWebsite.testAdvice}`,
	},
});

export class WorkflowInstanceServiceApi implements ICredentialType {
	name = 'workflowInstanceServiceApi';

	displayName = 'Workflow Instance Service API';

	icon: Icon = {
		light: 'file:../nodes/WorkflowInstanceService/workflowInstanceService.svg',
		dark: 'file:../nodes/WorkflowInstanceService/workflowInstanceService.dark.svg',
	};

	documentationUrl =
		'https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service#connect';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/api',
			hint: 'Must end in /api',
			description: 'The URL of your service, up to and including /api',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'In your service, go to company settings > API keys',
			description:
				'The key that authenticates requests. A service admin can create one under company settings > API keys.',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 0,
			hint: "Your service's rate limit, or 0 if you don't know it",
			description:
				'The maximum number of requests to send per minute, including retries, shared by all workflows in this n8n process. 0 means no fixed limit.',
		},
	];

	/**
	 * Adds the key (docs/dev/service-interface.md#authentication). Throws UserError if the request goes to another origin.
	 * A function, since n8n would evaluate an expression for each request (docs/dev/n8n-engine.md#cost-of-an-expression).
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const baseUrl = normalizeBaseUrl(credentials.baseUrl);
		// n8n's HTTP Request node uses `uri` where declarative nodes use `url`.
		const uri = 'uri' in requestOptions ? requestOptions.uri : undefined;
		const { baseURL = baseUrl, url } = requestOptions;
		const { origin: allowed } = new URL(baseUrl);
		const addresses = [url, uri].map((address) => {
			const text = String(address ?? '');
			// Resolved against a base, `https:evil.example` would be a path.
			return URL.canParse(text) ? new URL(text) : new URL(text, `${baseURL}/`);
		});
		const other = addresses.find(({ origin }) => origin !== allowed);
		if (other !== undefined) {
			throw new UserError(
				`This credential can only be used with ${allowed}, not with ${other.origin}. Use a URL that starts with the 'Base URL' in the credential.`,
			);
		}
		assertKeyStaysHidden(credentials, requestOptions);
		const Authorization = `Api-Key ${bareKey(credentials.apiKey)}`;
		requestOptions.headers = { ...requestOptions.headers, Authorization };
		requestOptions.sendCredentialsOnCrossOriginRedirect = false;
		return requestOptions;
	};

	/**
	 * Reads an instance that can't exist: a valid key gets "not found" as JSON, whatever it's allowed to read.
	 * Statuses outside `except` don't throw, so their body is checked (docs/dev/n8n-engine.md#credential-test).
	 */
	test: ICredentialTestRequest = {
		request: {
			// Pasted text may have invisible characters at its ends, which `trim` would leave.
			baseURL: '={{ $credentials.baseUrl.replace(/^[\\s\\p{Cf}]+|[\\s\\p{Cf}\\/\\\\]+$/gu, "") }}',
			url: '/instances/0/',
			headers: HEADERS,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: { ignore: true, except: rejectedStatuses },
		},
		rules: statusRules,
	};
}
