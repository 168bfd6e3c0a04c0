import type { IHttpRequestOptions } from 'n8n-workflow';

import { name, version } from '../../package.json';
import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { createSandbox, type FaultAction, type SandboxHandle } from '../../sandbox/service';
import { CREDENTIAL_TYPE, takeUnexpectedRequests, testCredential } from '../harness';
import { useSandbox } from './support/sandbox';

const page = (status: number): FaultAction => ({
	type: 'respond',
	status,
	body: '<!DOCTYPE html><html><head><title>A page</title></head></html>',
	contentType: 'text/html',
});
const json = (status: number, value: unknown): FaultAction => ({
	type: 'respond',
	status,
	body: JSON.stringify(value),
});

describe('the test of the credential', () => {
	const sandbox = useSandbox();
	let other: SandboxHandle;
	beforeAll(async () => {
		other = await createSandbox();
	});
	afterAll(async () => {
		await other.close();
	});
	const verdict = async (changes: Record<string, string> = {}) =>
		await testCredential({ ...sandbox.credentials, ...changes });
	const verdictOn = async (action: FaultAction) => {
		sandbox.control.addFault({ action });
		return await verdict();
	};

	test('passes for a good key, which is told that there is no such instance', async () => {
		expect(await verdict()).toEqual({ status: 'OK', message: expect.any(String) });
		expect(sandbox.requests()).toEqual(['GET /api/instances/0/']);
		const [entry] = sandbox.log();
		expect(entry).toMatchObject({ authorized: true, status: 404 });
		expect(entry?.headers['user-agent']).toBe(`${name}/${version}`);
	});

	test.each<[string, FaultAction]>([
		['an instance', json(200, { id: 0 })],
		['a JSON 404 of any shape', json(404, { error: { message: 'No such instance' } })],
		['an empty list', json(200, [])],
	])('passes for a service that answers with %s', async (_what, action) => {
		expect(await verdictOn(action)).toMatchObject({ status: 'OK' });
	});

	test.each<[what: string, typed: (credentials: Record<string, string>) => object]>([
		['blanks around the key', ({ apiKey }) => ({ apiKey: `  ${apiKey}\n` })],
		['a pasted prefix', ({ apiKey }) => ({ apiKey: `Api-Key ${apiKey}` })],
		['a prefix in small letters', ({ apiKey }) => ({ apiKey: ` api-key   ${apiKey} ` })],
		['slashes behind the base URL', ({ baseUrl }) => ({ baseUrl: `${baseUrl}///` })],
		['blanks and slashes around it', ({ baseUrl }) => ({ baseUrl: `  ${baseUrl}// ` })],
	])('passes with %s', async (_what, typed) => {
		expect(await verdict({ ...typed(sandbox.credentials) })).toMatchObject({ status: 'OK' });
		expect(sandbox.requests()).toEqual(['GET /api/instances/0/']);
	});

	test('says of a wrong key that it was refused', async () => {
		expect(await verdict({ apiKey: 'wrong' })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^The service refused the 'API Key' \(401\)\. Copy the key/),
		});
	});

	test('says of a key that may do nothing that it is not allowed', async () => {
		expect(await verdict({ apiKey: 'sandbox-forbidden-key' })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/'API Key' but does not allow it to be used \(403\)\. Ask/),
		});
	});

	test.each<[string, FaultAction, RegExp]>([
		['a web page with 404', page(404), /responds at this address, but not .*'Base URL'/],
		['a web page with 200', page(200), /responds at this address, but not .*'Base URL'/],
		['nothing, with 200', { type: 'emptyBody' }, /responds at this address, but not .*'Base URL'/],
		['text', { type: 'respond', status: 200, body: 'OK', contentType: 'text/plain' }, /but not a/],
		['400', json(400, {}), /did not understand the request \(400\).*'Base URL'/],
		['405', json(405, {}), /no Workflow Instance Service at this address \(405\)/],
		['410', json(410, {}), /nothing at this address \(410\)/],
		['418', json(418, {}), /rejected the request \(418\)\. Ask/],
		['429', json(429, {}), /too many requests \(429\)\. Wait a minute/],
		['500', page(500), /could not handle the request \(500\)\. Try again later/],
		['502', page(502), /gateway of the service got no response from it \(502\)/],
		['503', json(503, {}), /not available at the moment \(503\)/],
	])('does not pass for a service that answers with %s', async (_what, action, words) => {
		expect(await verdictOn(action)).toEqual({
			status: 'Error',
			message: expect.stringMatching(words),
		});
		expect(sandbox.requests()).toHaveLength(1);
	});

	test('does not pass with any status from 300 on but a JSON 404, and says which it is', async () => {
		const passed: number[] = [];
		for (let status = 300; status < 600; status++) {
			// n8n asks again after a 401.
			sandbox.control.addFault({ action: json(status, {}), times: 2 });
			const { status: outcome, message } = await verdict();
			sandbox.control.reset();
			if (outcome === 'OK') passed.push(status);
			else expect(message).toMatch(new RegExp(`\\(${status}\\)\\. [A-Z]`));
		}
		expect(passed).toEqual([404]);
	});

	test.each([301, 302, 303, 307, 308])('does not follow a redirect with %p', async (status) => {
		const location = `${other.url}/api/instances/0/`;
		expect(await verdictOn({ type: 'redirect', status, location })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^The 'Base URL' redirects to another address/),
		});
		expect(other.control.log()).toEqual([]);
	});

	test.each(['/instances', '/instances/', '/processes', '/instances/101/'])(
		'says of a base URL with %s at its end that it goes too far, and sends nothing',
		async (end) => {
			expect(await verdict({ baseUrl: `${sandbox.credentials.baseUrl}${end}` })).toEqual({
				status: 'Error',
				message: expect.stringContaining(
					"'Base URL' of the credential continues after /api, with /",
				),
			});
			expect(sandbox.requests()).toEqual([]);
		},
	);

	test('leaves the words to n8n when nothing is reached', async () => {
		const { baseUrl } = sandbox.credentials;
		expect(await verdict({ baseUrl: 'http://127.0.0.1:1/api' })).toEqual({
			status: 'Error',
			message: 'ECONNREFUSED',
		});
		const nowhere = await verdict({ baseUrl: `http://${'x'.repeat(64)}.invalid/api` });
		expect(nowhere.message).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
		expect(takeUnexpectedRequests()).toEqual([expect.stringContaining('.invalid/api')]);
		expect(await verdict({ baseUrl: baseUrl.replace('http:', 'https:') })).toEqual({
			status: 'Error',
			message: 'EPROTO',
		});
	});

	test.each([
		'example.com/api',
		'ftp://example.com/api',
		'ftp://example.com/https://api',
		'https://',
		'https://a:b@example.com/api',
	])('does not pass for the base URL %p, and sends nothing', async (baseUrl) => {
		expect(await verdict({ baseUrl })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^The 'Base URL' .* https:\/\/example\.com\/api$/),
		});
		expect(sandbox.requests()).toEqual([]);
		expect(takeUnexpectedRequests()).toEqual([]);
	});
});

describe('the signature of a request', () => {
	const { authenticate } = new WorkflowInstanceServiceApi();
	const CREDENTIALS = { baseUrl: 'https://service.example/api/', apiKey: ' Api-Key a-good-key ' };
	const sign = async (request: Partial<IHttpRequestOptions>, credentials = CREDENTIALS) => {
		if (typeof authenticate !== 'function') throw new Error('It is no function');
		return await authenticate(credentials, { url: '', ...request });
	};

	test.each<Partial<IHttpRequestOptions>>([
		{ url: 'https://service.example/api/instances/1/' },
		{ url: 'https://SERVICE.example:443/other/' },
		{ url: '/instances/1/', baseURL: 'https://service.example/api' },
		{ url: '/instances/1/' },
	])('is added to %j', async (request) => {
		const { headers, sendCredentialsOnCrossOriginRedirect } = await sign({
			...request,
			headers: { Accept: 'text/plain' },
		});
		expect(headers).toEqual({ Accept: 'text/plain', Authorization: 'Api-Key a-good-key' });
		expect(sendCredentialsOnCrossOriginRedirect).toBe(false);
	});

	const ELSEWHERE = [
		'https://other.example/api/instances/1/',
		'http://service.example/api/instances/1/',
		'https://service.example:8443/api/',
		'https://service.example.evil.example/api/',
		'https://service.example@evil.example/api/',
		'//evil.example/api/',
	];

	test.each(ELSEWHERE)('is refused for %s', async (url) => {
		await expect(sign({ url })).rejects.toThrow(/only sent to https:\/\/service\.example, not to /);
	});

	test.each(ELSEWHERE)('is refused for %s, as the HTTP Request node names it', async (uri) => {
		const request = { url: '', uri, headers: {} };
		await expect(sign(request)).rejects.toThrow(/only sent to https:\/\/service\.example/);
		expect(request.headers).toEqual({});
	});

	test.each([
		['', /'Base URL' of the credential is empty/],
		['service.example/api', /not a web address/],
		['ftp://service.example/api', /not a web address/],
		['https://user:secret@service.example/api', /'Base URL' .* more than an address/],
		['https://service.example/api?x=1', /more than an address/],
		['https://service.example/api?', /more than an address/],
		['https://service.example/api#top', /more than an address/],
	])('is refused with the base URL %p', async (baseUrl, words) => {
		await expect(
			sign({ url: 'https://service.example/api/' }, { ...CREDENTIALS, baseUrl }),
		).rejects.toThrow(words);
	});

	test('belongs to the credential type that the node names', () => {
		expect(new WorkflowInstanceServiceApi().name).toBe(CREDENTIAL_TYPE);
	});
});
