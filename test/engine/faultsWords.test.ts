import {
	isWebPage,
	type ServiceResponse,
	serviceWords,
} from '../../nodes/WorkflowInstanceService/api/response';
import { bareKey, normalizeBaseUrl } from '../../nodes/WorkflowInstanceService/api/credential';
import { inWords } from '../../nodes/WorkflowInstanceService/api/duration';
import {
	mayBeDone,
	networkError,
	responseError,
	type Sent,
} from '../../nodes/WorkflowInstanceService/api/failures';
import { networkFailure } from '../../nodes/WorkflowInstanceService/api/network';

// A careless search in the long texts below takes minutes, or does not end.
jest.setTimeout(30_000);

const SENT = {
	subject: 'instance 7',
	baseUrl: 'https://example.com/api',
	mayBeDoneBefore: false,
	continues: false,
	now: 0,
};
const WRITE: Sent = { ...SENT, method: 'PUT' };
const READ: Sent = { ...SENT, method: 'GET' };

function answer(text: string, type = '', status = 400): ServiceResponse {
	return {
		status,
		headers: { 'content-type': type },
		text,
		isGarbled: false,
		quotable: () => text,
	};
}

describe('the words of the service', () => {
	test.each<[body: string, words: string]>([
		['', ''],
		['{}', ''],
		['[]', ''],
		['null', ''],
		['""', ''],
		['0', '0'],
		['false', 'false'],
		['"Not found."', 'Not found.'],
		['{"detail": "Not found."}', 'Not found.'],
		['{"message": "No.", "code": 7}', 'No; code: 7'],
		['{"error": {"message": "No."}}', 'No.'],
		['{"error": null, "name": ["Too long.", "Not unique."]}', 'name: Too long; name: Not unique.'],
		['{"step_assignments": [{}, {"step_id": ["Unknown."]}]}', 'step_assignments.step_id: Unknown.'],
		['[{"detail": "One."}, {"detail": "Two."}]', 'One; Two.'],
		['{"non_field_errors": ["No."]}', 'No.'],
		...['description', 'details', 'errors', 'messages', 'msg', 'reason', 'title'].map(
			(key): [string, string] => [JSON.stringify({ [key]: 'No.' }), 'No.'],
		),
		['{"a": "", "b": "x"}', 'b: x'],
		['{"a": "See 1.5 now.", "b": "x"}', 'a: See 1.5 now; b: x'],
		['{"a": {"b": {"c": {"d": {"e": {"f": "deep"}}}}}}', 'a.b.c.d.e.f: deep'],
		['[[[[[["deep"]]]]]]', 'deep'],
		['[[[[[[["deep"]]]]]]]', ''],
		['<html><title lang="en">No</title></html>', 'a web page, "No"'],
		['<html><h1 class="a">Bad<br>Gateway</h1></html>', 'a web page, "Bad Gateway"'],
		['{"a": {"b": {"c": {"d": {"e": {"f": {"g": "deep"}}}}}}}', ''],
		['{"__proto__": {"detail": "No."}, "detail": "Yes."}', 'Yes.'],
		['  plain\n\ttext\u0000\u001b[31m  here ', 'plain text [31m here'],
		['{"detail": "cut o', '{"detail": "cut o'],
		['<html><title>Sign  in</title><h1>Hello</h1></html>', 'a web page, "Sign in"'],
		['<!DOCTYPE html><h1>Not <em>here</em></h1>', 'a web page, "Not here"'],
		['<body><h1></h1></body>', 'a web page without a title'],
		['<html></html>', 'a web page without a title'],
	])('in %j are %j', (body, words) => {
		expect(serviceWords(answer(body))).toBe(words);
	});

	test('are cut when they are long', () => {
		const words = serviceWords(answer('long '.repeat(1000)));
		expect(words).toHaveLength(601);
		expect(words).toMatch(/^long .*…$/);
		expect(serviceWords(answer('x'.repeat(600)))).toBe('x'.repeat(600));
	});

	test.each([
		['a page whose title never ends', '<html>' + '<title '.repeat(3_000_000)],
		['a page whose headings never end', '<html>' + '<h1>'.repeat(5_000_000)],
		['blanks', ' '.repeat(20_000_000)],
		['brackets', '['.repeat(2_000_000)],
		['brackets with a key that matters', '{"__proto__":'.repeat(1_000_000)],
		['a list', JSON.stringify(Array(1_000_000).fill('No.'))],
	])('are found at once in megabytes of %s', (_what, body) => {
		expect(serviceWords(answer(body)).length).toBeLessThanOrEqual(601);
	});
});

describe('a web page', () => {
	test.each([
		['<!DOCTYPE html><p>', '', true],
		['\n <HTML lang="en">', 'text/plain', true],
		['<head>', '', true],
		['<!-- cached --><html>', 'text/html; charset=utf-8', true],
		['<?xml version="1.0"?><html>', 'application/xhtml+xml', false],
		['<p>Hello', 'text/html', true],
		['<p>Hello', 'application/json', false],
		['OK', 'text/html', false],
		['{"id": 7}', 'text/html', false],
		['', 'text/html', false],
		['<htmlx>', '', false],
		['<!doctype  html>', '', true],
		['a <b', 'text/html', false],
		['a<b', 'text/html', false],
		[' \n<p>', 'text/html', true],
	])('is recognised: %j of type %j is one: %p', (text, type, expected) => {
		expect(isWebPage(answer(text, type))).toBe(expected);
	});
});

describe('what an answer means', () => {
	test('tells that a write may have been carried out, and of a read nothing', () => {
		for (const status of [500, 502, 503, 504, 999]) {
			const given = answer('', '', status);
			expect(mayBeDone(given)).toBe(true);
			expect(responseError(given, WRITE).description).toContain('may have carried out the request');
			expect(responseError(given, WRITE).mayBeDone).toBe(true);
			expect(responseError(given, READ).description).not.toContain('carried out');
			expect(responseError(given, READ).mayBeDone).toBe(false);
		}
		for (const status of [400, 401, 403, 404, 408, 409, 413, 422, 429]) {
			const given = answer('', '', status);
			expect(mayBeDone(given)).toBe(false);
			expect(responseError(given, WRITE).description).not.toContain('carried out');
			expect(responseError(given, WRITE).mayBeDone).toBe(false);
		}
	});

	test('tells that an earlier try of a write may have been carried out', () => {
		const again = { ...WRITE, mayBeDoneBefore: true };
		const refused = responseError(answer('', '', 404), again);
		expect(refused.description).toMatch(/may have carried out an earlier try/);
		expect(refused.httpCode).toBe('404');
		expect(refused.mayBeDone).toBe(true);
		expect(responseError(answer('', '', 302), again).mayBeDone).toBe(true);
		const first = responseError(answer('', '', 404), WRITE);
		expect(first.description).not.toMatch(/carried out/);
		expect(first.mayBeDone).toBe(false);
	});

	test('advises to turn on Retry On Fail where it stops at what may pass, and nowhere else', () => {
		const advised = (status: number, sent: Sent) =>
			responseError(answer('', '', status), sent).description.includes("'Retry On Fail'");
		for (const status of [408, 500, 502, 503, 504]) {
			expect(advised(status, READ)).toBe(true);
			expect(advised(status, { ...READ, continues: true })).toBe(false);
		}
		for (const status of [400, 401, 403, 404, 409, 413, 429]) {
			expect(advised(status, READ)).toBe(false);
		}
	});

	test('of a request about several says that one or more of them may be meant', () => {
		const several = { ...WRITE, subject: '21 instances', part: 'one or more of 21 instances' };
		const message = (status: number) => responseError(answer('', '', status), several).message;
		for (const status of [400, 403, 404, 409, 410, 412, 422, 423]) {
			expect(message(status)).toContain(several.part);
		}
		for (const status of [408, 413, 418, 500, 504]) {
			expect(message(status)).toContain('21 instances');
			expect(message(status)).not.toContain(several.part);
		}
	});

	test.each([
		[undefined, 'elsewhere'],
		['', 'elsewhere'],
		['/login', 'to /login'],
		['https://example.com/login#top', 'to https://example.com/login…'],
		['https://example.com/login?ticket=secret', 'to https://example.com/login…'],
	])('names where a redirect points, %p, without what follows', (location, words) => {
		const redirect = { ...answer('', '', 302), headers: { location } };
		expect(responseError(redirect, READ).message).toBe(
			`The service redirects ${words} instead of responding (302)`,
		);
	});

	test.each<[number, string, string]>([
		[422, '', 'did not accept the values'],
		[405, '', 'There is no Workflow Instance Service'],
		[415, '', 'There is no Workflow Instance Service'],
		[410, '', 'did not find'],
		[410, '<html>', 'There is no Workflow Instance Service'],
		[412, '', 'The current state of'],
		[423, '', 'The current state of'],
		[504, '', 'got no response from it'],
	])('of %d with %j: %s', (status, body, words) => {
		expect(responseError(answer(body, '', status), READ).message).toContain(words);
	});

	test.each([
		[400, true],
		[500, false],
		[502, false],
	])('with a web page and %d: that one is not expected is told: %p', (status, told) => {
		const { description } = responseError(answer('<html>', '', status), READ);
		expect(description.includes('The response is a web page')).toBe(told);
	});

	test.each([
		['300', false],
		['301', true],
	])('that asks to wait %s seconds: that this is too long is told: %p', (seconds, told) => {
		const busy = { ...answer('', '', 429), headers: { 'retry-after': seconds } };
		expect(responseError(busy, READ).description.includes('longer than')).toBe(told);
	});

	test('has the advice on the words of the service first, if there is any', () => {
		const asked: string[] = [];
		const sent: Sent = {
			...WRITE,
			adviceOn(words) {
				asked.push(words);
				return words.startsWith('name') ? 'Turn it on.' : undefined;
			},
		};
		expect(responseError(answer('{"name": ["No."]}'), sent).description).toMatch(/^Turn it on\. C/);
		expect(responseError(answer('{"tags": ["No."]}'), sent).description).toMatch(/^Correct/);
		expect(asked).toEqual(['name: No.', 'tags: No.']);
	});
});

describe('a network failure', () => {
	test.each([
		['ECONNREFUSED', false],
		['ENOTFOUND', false],
		['CERT_HAS_EXPIRED', false],
		['', false],
		['ECONNRESET', true],
		['ETIMEDOUT', true],
		['ERR_SOMETHING', true],
	])('%s: that a write may have been carried out is %p', (networkCode, expected) => {
		const failure = { networkCode, words: 'Blocked.' };
		expect(mayBeDone(failure)).toBe(expected);
		expect(networkError(failure, WRITE).mayBeDone).toBe(expected);
		expect(networkError(failure, { ...WRITE, mayBeDoneBefore: true }).mayBeDone).toBe(true);
		expect(networkError(failure, READ).mayBeDone).toBe(false);
	});

	const cycle = new Error('a');
	Object.assign(cycle, { cause: cycle });

	test.each<[failure: unknown, code: string, words: string]>([
		[{ httpCode: 'ECONNREFUSED', message: 'a' }, 'ECONNREFUSED', 'a.'],
		[{ httpCode: '500', code: 'ECONNRESET' }, 'ECONNRESET', ''],
		[{ httpCode: null, cause: { cause: { code: 'EPROTO' } } }, 'EPROTO', ''],
		[{ code: 404, message: 'Blocked', description: 'Ask somebody!' }, '', 'Blocked. Ask somebody!'],
		[cycle, '', 'a.'],
		[{ message: 'a', description: '' }, '', 'a.'],
		['a text', '', 'a text'],
		[undefined, '', 'undefined'],
	])('%p has a code and words', (failure, networkCode, words) => {
		expect(networkFailure(failure)).toEqual({ networkCode, words });
	});

	test.each([
		['CERT_HAS_EXPIRED', 'A secure connection to https://example.com could not be made'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'A secure connection to https://example.com could not be made'],
		[
			'ERR_TLS_CERT_ALTNAME_INVALID',
			'A secure connection to https://example.com could not be made',
		],
		['EAI_AGAIN', 'The host name in https://example.com was not found'],
		['ETIMEDOUT', 'The service did not respond in time for instance 7'],
		['EHOSTUNREACH', 'Nothing responds at https://example.com'],
		['Z_BUF_ERROR', 'The response for instance 7 could not be decompressed'],
		['ERR_SOMETHING', 'No response for instance 7 came from https://example.com'],
	])('%s has its message, and the code in it', (networkCode, message) => {
		const error = networkError({ networkCode, words: '' }, READ);
		expect(error.message).toBe(`${message} (${networkCode})`);
		expect(error.httpCode).toBeUndefined();
	});

	test.each([
		['ETIMEDOUT', true],
		['ECONNRESET', true],
		['ECONNREFUSED', false],
		['CERT_HAS_EXPIRED', false],
	])('%s: that Retry On Fail is advised where the node stops is %p', (networkCode, expected) => {
		const advised = (sent: Sent) =>
			networkError({ networkCode, words: '' }, sent).description.includes("'Retry On Fail'");
		expect(advised(READ)).toBe(expected);
		expect(advised({ ...READ, continues: true })).toBe(false);
	});

	test('without a code has the words of n8n, and was not carried out', () => {
		const failure = { networkCode: '', words: 'The request was blocked.' };
		const error = networkError(failure, WRITE);
		expect(error.message).toMatch(/for instance 7: The request was blocked\.$/);
		expect(error.description).not.toContain('carried out');
		expect(error.description).toMatch(/'Base URL' of the credential\.$/);
	});
});

describe('the fields of the credential', () => {
	test.each([
		['https://example.com/api', 'https://example.com/api'],
		['  HTTP://Example.COM:8080/api/// ', 'http://example.com:8080/api'],
		['https://EXAMPLE.com:443/api', 'https://example.com/api'],
		['http://example.com:80/', 'http://example.com'],
		['https://instances.example.com/processes/api', 'https://instances.example.com/processes/api'],
		['https://example.com/my-instances', 'https://example.com/my-instances'],
	])('the base URL %p is %p', (typed, expected) => {
		expect(normalizeBaseUrl(typed)).toBe(expected);
	});

	test.each([7, {}, 'https://', 'javascript:alert(1)', 'https://a b/api'])(
		'%p is no base URL',
		(typed) => {
			expect(() => normalizeBaseUrl(typed)).toThrow(/'Base URL' .* is not a web address/);
		},
	);

	test.each([undefined, null, '', ' '])('%p is named as empty', (typed) => {
		expect(() => normalizeBaseUrl(typed)).toThrow("The 'Base URL' of the credential is empty");
		expect(() => bareKey(typed)).toThrow("The 'API Key' of the credential is empty");
	});

	test.each([
		['https://example.com/api/instances', '/instances'],
		[' https://example.com/api/instances/// ', '/instances'],
		['https://example.com/api/instances/101/', '/instances/101'],
		['https://example.com/api/processes', '/processes'],
		['https://example.com/api/processes/11', '/processes/11'],
	])('the base URL %p goes too far', (typed, beyond) => {
		expect(() => normalizeBaseUrl(typed)).toThrow(
			`The 'Base URL' of the credential continues after /api, with ${beyond}`,
		);
	});

	test.each([
		[' key ', 'key'],
		['Api-Key  key', 'key'],
		['api-key key\n', 'key'],
		['Api-Key', 'Api-Key'],
		['a Api-Key b', 'a Api-Key b'],
		[7, '7'],
	])('the API key %p is %p', (typed, expected) => {
		expect(bareKey(typed)).toBe(expected);
	});
});

test.each([
	[1, '1 second'],
	[1_000, '1 second'],
	[1_001, '2 seconds'],
	[119_000, '119 seconds'],
	[120_000, '2 minutes'],
	[121_000, '3 minutes'],
	[7_200_000, '2 hours'],
	[172_800_000, '2 days'],
	[366 * 86_400_000, '366 days'],
	[Infinity, 'more than a year'],
])('%p milliseconds are %s', (milliseconds, words) => {
	expect(inWords(milliseconds)).toBe(words);
});
