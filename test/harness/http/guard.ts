import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import nock from 'nock';

import { isRecord } from '../../../sandbox/guards';

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
