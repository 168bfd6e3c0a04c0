import { jsonParse } from 'n8n-workflow';
import nock from 'nock';
import { CREDENTIALS } from '../defaults';

interface ServiceRequest {
	method: string;
	headers: Record<string, unknown>;
	/** The JSON body, the text when it is not JSON, undefined when there is none. */
	body: unknown;
}

const parseBody = (body: string): unknown =>
	body === '' ? undefined : jsonParse<unknown>(body, { fallbackValue: body });

/**
 * A service that answers what a test tells it to, by nock. An interceptor matches only requests
 * that carry the API key of `CREDENTIALS`; the network guard fails the test when one is not used, or
 * when anything else is requested. Call it at the top of a file or describe block.
 *
 * @returns `requests` holds what was asked in the present test, in order of arrival
 */
export function mockService() {
	const { baseUrl, apiKey } = CREDENTIALS;
	const requests: ServiceRequest[] = [];
	beforeEach(() => {
		requests.length = 0;
	});

	const scope = (): nock.Scope => {
		const created = nock(baseUrl, { reqheaders: { authorization: `Api-Key ${apiKey}` } });
		// nock's type of the event has no parameters; it passes these three.
		created.on('request', (request: nock.ReplyFnContext['req'], _interceptor, body: string) => {
			const { method, headers } = request;
			requests.push({ method, headers: { ...headers }, body: parseBody(body) });
		});
		return created;
	};

	return {
		baseUrl,
		requests,
		get: (path: string | RegExp) => scope().get(path),
		put: (path: string | RegExp) => scope().put(path),
		post: (path: string | RegExp) => scope().post(path),
	};
}
