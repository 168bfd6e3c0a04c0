import type { IHttpRequestOptions } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { name, version } from '../../package.json';
import type { FaultAction } from '../../sandbox/service';
import { testCredential } from '../harness';
import { locator, respond, useSandbox } from './support/sandbox';

const page = (status: number) =>
	respond(status, '<html><title>A page</title></html>', { 'content-type': 'text/html' });
const failure = (words: RegExp) => ({ status: 'Error', message: expect.stringMatching(words) });

describe('The test of the credential', () => {
	const sandbox = useSandbox();
	const verdict = async (changes: Record<string, string> = {}) =>
		await testCredential({ ...sandbox.credentials, ...changes });
	const verdictOn = async (action: FaultAction) => {
		sandbox.control.addFault({ action });
		return await verdict();
	};

	test('passes for a good key as it is pasted, although there is no such instance', async () => {
		const { apiKey, baseUrl } = sandbox.credentials;
		const url = baseUrl.replace('http', 'HTTP');
		const pasted = {
			apiKey: `\ufeff api-key   ${apiKey}\u200b \n`,
			baseUrl: ` \u200b${url}//\\\u200e `,
		};
		expect(await verdict(pasted)).toEqual({ status: 'OK', message: expect.any(String) });
		const [entry] = sandbox.log();
		expect(entry).toMatchObject({ authorized: true, status: 404, url: '/api/instances/0/' });
		expect(entry?.headers['user-agent']).toBe(`${name}/${version}`);
	});

	test.each([{ id: 0 }, []])('passes for a service that responds with %j', async (value) => {
		expect(await verdictOn(respond(200, value))).toMatchObject({ status: 'OK' });
	});

	const NOT_THIS =
		/The response does not seem to come from a Workflow Instance Service\. .*'Base URL'/;
	const location = 'https://other.example/api/instances/0/';
	test.each<[string, FaultAction, RegExp]>([
		['a web page with 404', page(404), NOT_THIS],
		['a web page with 200', page(200), NOT_THIS],
		['nothing, with 200', respond(200), NOT_THIS],
		['413', respond(413, '{}'), / too large for the service \(413\)\. Ask a service admin /],
		['a redirect', respond(301, '', { location }), /^The service redirected .* a sign-in page/],
	])('fails for a service that responds with %s', async (_what, action, words) => {
		expect(await verdictOn(action)).toEqual(failure(words));
		expect(sandbox.requests()).toHaveLength(1);
	});

	test('fails with any status from 300 on but a JSON 404, and says which it is', async () => {
		const passed: number[] = [];
		for (let status = 300; status < 600; status++) {
			// n8n resends a request that gets a 401.
			sandbox.control.addFault({ action: respond(status, '{}'), times: 2 });
			const { status: outcome, message } = await verdict();
			sandbox.control.reset();
			if (outcome === 'OK') passed.push(status);
			else expect(message).toMatch(new RegExp(`^[^{}]+ \\(${status}\\)\\. [^{}]+\\.$`));
		}
		expect(passed).toEqual([404]);
	});

	const EMPTY = /^The 'Base URL' in the credential is empty$/;
	const NO_URL = /^The 'Base URL' .* is not a URL like https:\/\/example\.com\/api$/;
	test.each<[baseUrl: string, words: RegExp]>([
		// n8n shows nothing else.
		['http://127.0.0.1:1/api', /^ECONNREFUSED$/],
		['{base}/v1', /does not end in \/api\. Enter e\.g\. http:\/\/127\.0\.0\.1:\d+\/api$/],
		['http://host:81', /does not end in \/api\. Enter e\.g\. http:\/\/host:81\/api$/],
		['', EMPTY],
		[' ', EMPTY],
		['example.com/api', NO_URL],
		['https://', NO_URL],
		['https://a host/api', NO_URL],
		['javascript:alert(1)', NO_URL],
		['https://me:secret@example.com/api', NO_URL],
		['https://example.com/api?', NO_URL],
	])('fails for the base URL %p', async (entered, words) => {
		const baseUrl = entered.replace('{base}', sandbox.credentials.baseUrl);
		expect(await verdict({ baseUrl })).toEqual(failure(words));
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('A node whose credential', () => {
	const sandbox = useSandbox();
	const IN_SECOND_ITEM = '={{ $itemIndex === 1 ? $("Nowhere").item.json.url : "https://a.b/api" }}';

	test.each<[changes: object, words: string]>([
		[{ baseUrl: '={{ $("Nowhere").item.json.url }}' }, 'n8n could not read the credential of this'],
		[{ baseUrl: IN_SECOND_ITEM }, 'n8n could not read the credential of this'],
		[{ apiKey: ' ' }, "The 'API Key' in the credential is empty"],
		[{ apiKey: 'Api-Key' }, "The 'API Key' in the credential is empty"],
		[{ apiKey: 'a-key-with-ж' }, "contains a character that can't be sent"],
		[{ apiKey: 'a-key\nof-two-lines' }, "contains a character that can't be sent"],
		...['-1', '1.5', 'many'].map((requestsPerMinute): [object, string] => [
			{ requestsPerMinute },
			"in 'Requests per Minute' in the credential",
		]),
		...['={{ undefined }}', '={{ $vars.LIMIT }}', ''].map((requestsPerMinute): [object, string] => [
			{ requestsPerMinute },
			"'Requests per Minute' in the credential is empty",
		]),
	])('has %j sends nothing, and says what to correct', async (changes, words) => {
		const credentials = { ...sandbox.credentials, ...changes };
		const { error } = await sandbox.run({ instanceId: locator(101) }, [{}, {}], { credentials });
		expect(error?.message).toContain(words);
		expect(sandbox.requests()).toEqual([]);
	});

	test('has no Requests per Minute, since the field was cleared, sends requests', async () => {
		const credentials = { ...sandbox.credentials, requestsPerMinute: '={{ null }}' };
		const { error } = await sandbox.run({ instanceId: locator(101) }, [{}], { credentials });
		expect(error).toBeUndefined();
	});
});

describe('The API key', () => {
	const { authenticate } = new WorkflowInstanceServiceApi();
	const CREDENTIALS = { baseUrl: 'https://service.example/api/', apiKey: ' Api-Key a-good-key ' };
	const sign = async (request: Partial<IHttpRequestOptions>, credentials = CREDENTIALS) => {
		if (typeof authenticate !== 'function') throw new Error('It is no function');
		return await authenticate(credentials, { url: '', ...request });
	};

	test.each([
		// It begins like the word before it.
		['api-key-1', 'Api-Key api-key-1'],
		['authorization: Api-Key \u200ba-good-key', 'Api-Key a-good-key'],
	])('is sent as a whole if it was pasted as %j', async (apiKey, Authorization) => {
		const { headers } = await sign({}, { ...CREDENTIALS, apiKey });
		expect(headers).toEqual({ Authorization });
	});

	test.each<Partial<IHttpRequestOptions>>([
		{ url: 'https://service.example/api/instances/1/' },
		{ url: 'https://SERVICE.example:443/other/' },
		{ url: '/instances/1/', baseURL: 'https://service.example/api' },
		{ url: '/instances/1/' },
	])('is added to a request for %j', async (request) => {
		const headers = { Accept: 'text/plain', Authorization: 'Api-Key a-good-key' };
		const signed = await sign({ ...request, headers: { Accept: 'text/plain' } });
		expect(signed).toMatchObject({ headers, sendCredentialsOnCrossOriginRedirect: false });
	});

	test.each([
		'https://other.example/api/instances/1/',
		'http://service.example/api/instances/1/',
		'https://service.example:8443/api/',
		'https://service.example@evil.example/api/',
		'//evil.example/api/',
		// Without a base URL, the host is in the URL.
		'https:evil.example/api/',
		'https:/evil.example/api/',
	])('is not sent to %s, nor if the HTTP Request node calls it uri', async (url) => {
		const ofNode = { url: '', uri: url, headers: {} };
		const ofBoth = { url, uri: 'https://service.example/api/' };
		for (const request of [{ url }, ofNode, ofBoth]) {
			const words = /only be used with https:\/\/service\.example, not with /;
			await expect(sign(request)).rejects.toThrow(words);
		}
		expect(ofNode.headers).toEqual({});
	});

	test.each([
		[{ proxy: { host: 'evil.example', port: 80 } }, "'Proxy' can't be used"],
		[{ skipSslCertificateValidation: true }, "'Ignore SSL Issues (Insecure)' can't be used"],
		// As the HTTP Request node has it.
		[{ rejectUnauthorized: false }, "'Ignore SSL Issues (Insecure)' can't be used"],
	])('of a credential for certain domains is not sent with %j', async (options, words) => {
		const request = { url: '/instances/1/', headers: {}, ...options };
		await expect(sign(request)).resolves.toHaveProperty('headers.Authorization');
		const limited = { ...CREDENTIALS, allowedHttpRequestDomains: 'domains' };
		await expect(sign(request, limited)).rejects.toThrow(words);
	});
});
