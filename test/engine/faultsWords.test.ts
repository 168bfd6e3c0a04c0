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
} from '../../nodes/WorkflowInstanceService/api/errors';
import { noResponse } from '../../nodes/WorkflowInstanceService/api/network';

// A careless search in the long texts below takes minutes, or does not end.
jest.setTimeout(30_000);

const SENT = {
	subject: 'instance 7',
	baseUrl: 'https://example.com/api',
	mayBeDoneBefore: false,
	continues: false,
	now: 0,
	maxWait: 300_000,
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

/** Where a word is among those of a row of a table. */
const has = (row: string, word: string) => row.split(' ').includes(word);

describe('what a response means', () => {
	// done: the request may have been carried out; retry: a later try may go through; part: it may be
	// about some of several instances; page: that the service sends no web pages is told.
	test.each<[status: number, body: string, words: string, traits: string]>([
		[400, '', 'did not accept the values', 'part'],
		[400, '<html>', 'did not accept the values', 'part page'],
		[401, '', "refused the 'API Key'", ''],
		[403, '', 'does not have access', 'part'],
		[404, '', 'did not find', 'part'],
		[405, '', 'There is no Workflow Instance Service', ''],
		[408, '', 'did not receive the request', 'retry'],
		[409, '', 'The current state of', 'part'],
		[410, '', 'did not find', 'part'],
		[410, '<html>', 'There is no Workflow Instance Service', ''],
		[412, '', 'The current state of', 'part'],
		[413, '', 'is too large', ''],
		[415, '', 'There is no Workflow Instance Service', ''],
		[418, '', 'refused the request', ''],
		[422, '', 'did not accept the values', 'part'],
		[423, '', 'The current state of', 'part'],
		[429, '', 'too many requests', ''],
		[500, '<html>', 'could not handle', 'done retry'],
		[502, '<html>', 'got no response from it', 'done retry'],
		[503, '', 'is not available', 'done retry'],
		[504, '', 'got no response from it', 'done retry'],
		[999, '', '(999)', 'done'],
	])('of %d with %j: %s; %s', (status, body, words, traits) => {
		const given = answer(body, '', status);
		const read = responseError(given, READ);
		expect(read.message).toContain(words);
		expect(read.description.includes("'Retry On Fail'")).toBe(has(traits, 'retry'));
		expect(read.description.includes('The response is a web page')).toBe(has(traits, 'page'));
		expect(read.description).not.toContain('carried out');
		expect(read.mayBeDone).toBe(false);
		const going = responseError(given, { ...READ, continues: true });
		expect(going.description).not.toContain('Retry On');
		expect(mayBeDone(given)).toBe(has(traits, 'done'));
		const [subject, part] = ['21 instances', 'one or more of 21 instances'];
		const write = responseError(given, { ...WRITE, subject, part });
		expect(write.message.includes(part)).toBe(has(traits, 'part'));
		expect(write.description.includes('may have carried out the')).toBe(has(traits, 'done'));
		expect(write.mayBeDone).toBe(has(traits, 'done'));
	});

	test('tells that an earlier try of a write may have been carried out', () => {
		const again = { ...WRITE, mayBeDoneBefore: true };
		const refused = responseError(answer('', '', 404), again);
		expect(refused.description).toMatch(/may have carried out an earlier try/);
		expect(refused.httpCode).toBe('404');
		expect(refused.mayBeDone).toBe(true);
		expect(responseError(answer('', '', 302), again).mayBeDone).toBe(true);
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

	test.each([
		['300', false],
		['301', true],
	])('that asks to wait %s seconds: that this is too long is told: %p', (seconds, told) => {
		const busy = { ...answer('', '', 429), headers: { 'retry-after': seconds } };
		expect(responseError(busy, READ).description.includes("'Max Wait'")).toBe(told);
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

const NOT_SECURE = 'A secure connection to https://example.com could not be made';

describe('a network failure', () => {
	// done and retry as above.
	test.each<[networkCode: string, message: string, traits: string]>([
		['ECONNREFUSED', 'Nothing responds at https://example.com', ''],
		['EHOSTUNREACH', 'Nothing responds at https://example.com', ''],
		['ENOTFOUND', 'The host name in https://example.com was not found', ''],
		['EAI_AGAIN', 'The host name in https://example.com was not found', ''],
		['CERT_HAS_EXPIRED', NOT_SECURE, ''],
		['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_SECURE, ''],
		['ERR_TLS_CERT_ALTNAME_INVALID', NOT_SECURE, ''],
		[
			'ECONNRESET',
			'The connection was lost before the response for instance 7 arrived',
			'done retry',
		],
		['ETIMEDOUT', 'The service did not respond in time for instance 7', 'done retry'],
		['Z_BUF_ERROR', 'The response for instance 7 could not be decompressed', 'done'],
		['ERR_SOMETHING', 'No response for instance 7 came from https://example.com', 'done'],
	])('%s: %s; %s', (networkCode, message, traits) => {
		const failure = { networkCode, words: 'Blocked.' };
		const read = networkError(failure, READ);
		expect(read.message).toBe(`${message} (${networkCode})`);
		expect(read.httpCode).toBeUndefined();
		expect(read.mayBeDone).toBe(false);
		expect(read.description.includes("'Retry On Fail'")).toBe(has(traits, 'retry'));
		const going = networkError(failure, { ...READ, continues: true });
		expect(going.description).not.toContain('Retry On');
		expect(mayBeDone(failure)).toBe(has(traits, 'done'));
		expect(networkError(failure, WRITE).mayBeDone).toBe(has(traits, 'done'));
		expect(networkError(failure, { ...WRITE, mayBeDoneBefore: true }).mayBeDone).toBe(true);
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
		expect(noResponse(failure)).toEqual({ networkCode, words });
	});

	test('without a code has the words of n8n, and was not carried out', () => {
		const failure = { networkCode: '', words: 'The request was blocked.' };
		const error = networkError(failure, WRITE);
		expect(mayBeDone(failure)).toBe(false);
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
