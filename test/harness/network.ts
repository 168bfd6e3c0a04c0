import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { jsonParse } from 'n8n-workflow';
import nock from 'nock';

import { isRecord } from '../../sandbox/guards';
import { CREDENTIALS } from './credentialsHelper';

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

const unexpected: string[] = [];
/** Whether the test file is done, whose hooks end in the order in which they were added. */
let isDone = false;

interface Outgoing {
	method?: string;
	hostname?: string;
	host?: string;
	path?: string;
}

const describeRequest = ({ method = 'GET', hostname, host = '?', path = '' }: Outgoing) =>
	`${method} ${hostname ?? host}${path}`;

/** nock emits the options alone, or a request without its host before them. */
function recordUnmatched(request: Outgoing, options = request): void {
	unexpected.push(describeRequest(options));
}

function recordForeignHost(message: unknown): void {
	const request: Outgoing = isRecord(message) && isRecord(message.request) ? message.request : {};
	if (!LOCAL.test(request.host ?? '')) unexpected.push(describeRequest(request));
}

function assertAllExpected(): void {
	const pending = nock.pendingMocks();
	const requests = unexpected.splice(0);
	nock.abortPendingRequests();
	nock.cleanAll();
	if (requests.length > 0)
		throw new Error(`Requests that no test expected: ${requests.join(', ')}`);
	if (pending.length > 0) throw new Error(`Expected requests not made: ${pending.join(', ')}`);
}

/**
 * Closes the network for a test file: only requests that nock expects are answered, and each test
 * ends with the check that all of them were made and no other. jest/setup.ts installs it.
 */
export function installNetworkGuard(): void {
	beforeAll(() => {
		isDone = false;
		nock.disableNetConnect();
		nock.emitter.on('no match', recordUnmatched);
	});
	afterEach(assertAllExpected);
	afterAll(() => {
		isDone = true;
		nock.emitter.off('no match', recordUnmatched);
		nock.restore();
	});
}

/**
 * Opens the network to servers on this machine, for the tests of one file or describe block. nock
 * is off meanwhile, so connections are as real as in production; a request to any other host
 * makes the test fail.
 */
export function useLocalServers(): void {
	beforeAll(() => {
		nock.restore();
		subscribe('http.client.request.start', recordForeignHost);
	});
	afterAll(() => {
		unsubscribe('http.client.request.start', recordForeignHost);
		if (!isDone) nock.activate();
	});
}

/**
 * Hands over the requests that nothing had been set up to answer, so that a test may assert them
 * instead of failing by them.
 *
 * @returns `METHOD host/path` of each, in order, without the port
 */
export function takeUnexpectedRequests(): string[] {
	return unexpected.splice(0);
}

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
