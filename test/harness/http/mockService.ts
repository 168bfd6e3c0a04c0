import { jsonParse } from 'n8n-workflow';
import nock from 'nock';
import { CREDENTIALS } from '../defaults';

export interface ServiceRequest {
	method: string;
	/** Path and query below the base URL, such as `/instances/1/`. */
	path: string;
	headers: Record<string, unknown>;
	/** The JSON body, the text when it is not JSON, undefined when there is none. */
	body: unknown;
}

export interface MockService {
	baseUrl: string;
	apiKey: string;
	/** What the service was asked in the present test, in order of arrival. */
	requests: ServiceRequest[];
	get(path: string | RegExp): nock.Interceptor;
	put(path: string | RegExp, body?: nock.RequestBodyMatcher): nock.Interceptor;
	post(path: string | RegExp, body?: nock.RequestBodyMatcher): nock.Interceptor;
}

function parseBody(body: string): unknown {
	if (body === '') return undefined;
	return jsonParse<unknown>(body, { fallbackValue: body });
}

/**
 * A service that answers what a test tells it to, by nock. An interceptor matches only requests
 * that carry the API key; the network guard fails the test when one is not used, or when anything
 * else is requested. Call it at the top of a file or describe block.
 *
 * @param credentials - the base URL and API key that the interceptors match
 */
export function mockService(credentials: typeof CREDENTIALS = CREDENTIALS): MockService {
	const requests: ServiceRequest[] = [];
	const { pathname } = new URL(credentials.baseUrl);
	beforeEach(() => {
		requests.length = 0;
	});

	const scope = (): nock.Scope => {
		const created = nock(credentials.baseUrl, {
			reqheaders: { authorization: `Api-Key ${credentials.apiKey}` },
		});
		// nock's type of the event has no parameters; it passes these three.
		created.on('request', (request: nock.ReplyFnContext['req'], _interceptor, body: string) => {
			requests.push({
				method: request.method,
				path: request.path.slice(pathname.length),
				headers: { ...request.headers },
				body: parseBody(body),
			});
		});
		return created;
	};

	return {
		...credentials,
		requests,
		get: (path) => scope().get(path),
		put: (path, body) => scope().put(path, body),
		post: (path, body) => scope().post(path, body),
	};
}
