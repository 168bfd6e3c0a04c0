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

function aResponse(text: string, type = '', status = 400): ServiceResponse {
	const headers = { 'content-type': type };
	return { status, headers, text, isGarbled: false, receivedAt: 0, quotable: () => text };
}

describe('the words of the service', () => {
	const nested = (depth: number) => `${'{"a": ['.repeat(depth / 2)}"deep"${']}'.repeat(depth / 2)}`;
	const BARE = 'description detail details error errors message messages msg'.split(' ');

	test.each([
		...['', '{}', 'null', '""', nested(8)].map((body) => [body, '']),
		['0', '0'],
		[JSON.stringify([...'1234567890']), '1; 2; 3; 4; 5; 6; 7; 8; 9; 0'],
		['"Not found."', 'Not found.'],
		['{"message": "No.", "code": 7}', 'No; code: 7'],
		['{"error": null, "name": ["Too long.", "Not unique."]}', 'name: Too long; name: Not unique.'],
		['{"step_assignments": [{}, {"step_id": ["Unknown."]}]}', 'step_assignments.step_id: Unknown.'],
		...[...BARE, 'non_field_errors', 'reason', 'title'].map((key) => [`{"${key}": "No."}`, 'No.']),
		['{"a": "See 1.5 now.", "b": "x", "c": ""}', 'a: See 1.5 now; b: x'],
		[nested(6), 'a.a.a: deep'],
		['{"__proto__": {"detail": "No."}, "detail": "Yes."}', 'Yes.'],
		['  plain\n\ttext\u0000\u001b[31m  here ', 'plain text [31m here'],
		['{"detail": "cut o', '{"detail": "cut o'],
		['x'.repeat(600), 'x'.repeat(600)],
		['x'.repeat(601), `${'x'.repeat(600)}…`],
	])('in %j are %j', (body, words) => {
		expect(serviceWords(aResponse(body ?? ''))).toBe(words);
	});

	const UNTITLED = 'a web page without a title';
	test.each<[body: string, words: string, type?: string]>([
		['<html><title lang="en">Sign  in</title><h1>Hello</h1></html>', 'a web page, "Sign in"'],
		['\n <!doctype  HTML><H1 class="a">Not<br><em>here\n</em></h1>', 'a web page, "Not here"'],
		['<body><h1></h1></body>', UNTITLED],
		['<HTML lang="en">', UNTITLED, 'text/plain'],
		['<head>', UNTITLED],
		['<htmlx>', '<htmlx>'],
		[' \n<p>', UNTITLED, 'text/html; charset=utf-8'],
		['<p>', '<p>', 'application/xhtml+xml'],
		['a <html>', 'a <html>', 'text/html'],
	])('in %j are %s', (body, words, type = '') => {
		const response = aResponse(body, type);
		expect(serviceWords(response)).toBe(words);
		expect(isWebPage(response)).toBe(words.startsWith('a web page'));
	});

	test.each([
		['a page whose title never ends', '<html>' + '<title '.repeat(3_000_000)],
		['a page whose headings never end', '<html>' + '<h1>'.repeat(5_000_000)],
		['blanks', ' '.repeat(20_000_000)],
		['brackets with a key that matters', '{"__proto__":'.repeat(1_000_000)],
		['a list', JSON.stringify(Array(1_000_000).fill('No.'))],
	])('are found at once in megabytes of %s', (_what, body) => {
		expect(serviceWords(aResponse(body)).length).toBeLessThanOrEqual(601);
	});
});

/** Where a word is among those of a row of a table. */
const has = (row: string, word: string) => row.split(' ').includes(word);

describe('what a response means', () => {
	// The words of each row of the table are in docs/messages.md. done: the request may have been carried
	// out; retry: a later try may go through; part: it may be about some of several instances; page: that
	// the service sends no web pages is told.
	test.each<[status: number, body: string, traits: string]>([
		[400, '', 'part'],
		[400, '<html>', 'part page'],
		[401, '', ''],
		[408, '', 'retry'],
		[410, ' ', 'part'],
		[410, '<html>', ''],
		[500, '<html>', 'done retry'],
		[999, '', 'done'],
	])('of %d with %j: %s', (status, body, traits) => {
		const given = aResponse(body, '', status);
		const read = responseError(given, READ);
		expect(read.description.includes("'Retry On Fail'")).toBe(has(traits, 'retry'));
		expect(read.description.includes('The response is a web page')).toBe(has(traits, 'page'));
		expect(read.description).not.toContain('may still have processed');
		expect(read.mayBeDone).toBe(false);
		const going = responseError(given, { ...READ, continues: true });
		expect(going.description).not.toContain('Retry On');
		expect(mayBeDone(given)).toBe(has(traits, 'done'));
		const [subject, part] = ['21 instances', 'one or more of 21 instances'];
		const write = responseError(given, { ...WRITE, subject, part });
		expect(write.message.includes(part)).toBe(has(traits, 'part'));
		expect(write.mayBeDone).toBe(has(traits, 'done'));
		const again = responseError(given, { ...WRITE, mayBeDoneBefore: true });
		expect(again).toMatchObject({ httpCode: String(status), mayBeDone: true });
	});

	test.each([
		[400, 422],
		[404, 410],
		[405, 415],
		[409, 412, 423],
		[502, 504],
	])('is the same of %d and %d', (...statuses) => {
		const messages = statuses.map((status) =>
			responseError(aResponse('', '', status), READ).message.replace(/\(\d+\)/, ''),
		);
		expect(new Set(messages).size).toBe(1);
	});

	test.each<[status: number, headers: object, message: string, isTooLong?: boolean]>([
		[302, {}, 'The service redirected the request elsewhere (302)'],
		[302, { location: '/in#top' }, 'The service redirected the request to /in… (302)'],
		[429, { 'retry-after': '300' }, 'too many requests and asks to wait 5 minutes (429)'],
		[429, { 'retry-after': '301' }, 'too many requests and asks to wait 6 minutes (429)', true],
	])('of %d with %j: %s', (status, headers, message, isTooLong = false) => {
		const error = responseError(
			{ ...aResponse(status < 400 ? 'Moved.' : '', '', status), headers: { ...headers } },
			READ,
		);
		expect(error.message.slice(-message.length)).toBe(message);
		expect(error.description.includes("'Max Wait (Seconds)'")).toBe(isTooLong);
	});

	test('has the advice on the words of the service first, if there is any', () => {
		const adviceOn = (words: string) => (words === 'name: No.' ? 'Turn it on.' : undefined);
		const adviceFor = (field: string) =>
			responseError(aResponse(`{"${field}": ["No."]}`), { ...WRITE, adviceOn }).description;
		expect(adviceFor('name')).toMatch(/^Turn it on\. C/);
		expect(adviceFor('tags')).toMatch(/^Correct/);
	});
});

describe('a network failure', () => {
	test.each<[networkCode: string, traits: string]>([
		['ECONNREFUSED', ''],
		['ECONNRESET', 'done retry'],
		['ERR_SOMETHING', 'done'],
		['', ''],
	])('%j: %s', (networkCode, traits) => {
		const failure = { networkCode, words: 'Blocked.' };
		const read = networkError(failure, READ);
		expect(read.message).toContain(networkCode === '' ? ': Blocked.' : ` (${networkCode})`);
		expect(read).toMatchObject({ httpCode: undefined, mayBeDone: false });
		expect(read.description.includes("'Retry On Fail'")).toBe(has(traits, 'retry'));
		const going = networkError(failure, { ...READ, continues: true });
		expect(going.description).not.toContain('Retry On');
		expect(mayBeDone(failure)).toBe(has(traits, 'done'));
		expect(networkError(failure, WRITE).mayBeDone).toBe(has(traits, 'done'));
		expect(networkError(failure, { ...WRITE, mayBeDoneBefore: true }).mayBeDone).toBe(true);
	});

	const cycle = { message: 'a' };
	Object.assign(cycle, { cause: cycle });
	const caused = (depth: number, cause: object): object =>
		depth === 0 ? cause : { cause: caused(depth - 1, cause) };

	test.each<[failure: unknown, code: string, words: string]>([
		[{ httpCode: 'ECONNREFUSED', message: 'a ' }, 'ECONNREFUSED', 'a.'],
		[caused(8, { code: '1E1' }), '1E1', ''],
		[{ httpCode: '500', cause: { code: 'ECONNRESET' } }, 'ECONNRESET', ''],
		[{ code: 404, message: 'Blocked', description: 'Ask somebody!' }, '', 'Blocked. Ask somebody!'],
		[cycle, '', 'a.'],
		[{ message: 'a', description: '' }, '', 'a.'],
		[undefined, '', 'undefined'],
	])('%p has a code and words', (failure, networkCode, words) => {
		expect(noResponse(failure)).toEqual({ networkCode, words });
	});
});

describe('the fields of the credential', () => {
	test.each([
		['  HTTP://Example.COM:8080/api/// ', 'http://example.com:8080/api'],
		['https://EXAMPLE.com:443/', 'https://example.com'],
		['https://example.com/processes/api', 'https://example.com/processes/api'],
		['https://example.com/my-instances', 'https://example.com/my-instances'],
	])('the base URL %p is %p', (typed, expected) => {
		expect(normalizeBaseUrl(typed)).toBe(expected);
	});

	test.each([
		[undefined, 'is empty'],
		[' ', 'is empty'],
		[7, 'is not a URL'],
		['https://', 'is not a URL'],
		['javascript:alert(1)', 'is not a URL'],
		['x:https://example.com', 'is not a URL'],
		[' https://example.com/api/instances/// ', 'ends in /instances'],
		['https://example.com/api/processes/11/', 'ends in /processes/11'],
	])('the base URL %p %s', (typed, words) => {
		expect(() => normalizeBaseUrl(typed)).toThrow(`The 'Base URL' in the credential ${words}`);
	});

	test.each([
		['Api-Key  key', 'key'],
		[' api-key key\n', 'key'],
		['a Api-Key b', 'a Api-Key b'],
		[7, '7'],
	])('the API key %p is %p', (typed, expected) => {
		expect(bareKey(typed)).toBe(expected);
		expect(() => bareKey(' ')).toThrow("The 'API Key' in the credential is empty");
	});
});

test.each([
	[1, '1 second'],
	[1_001, '2 seconds'],
	[119_000, '119 seconds'],
	[120_000, '2 minutes'],
	[120_001, '3 minutes'],
	[3_600_000.0002, '60 minutes'],
	[7_200_000, '2 hours'],
	[172_800_000, '2 days'],
	[366 * 86_400_000, '366 days'],
	[Infinity, 'more than a year'],
])('%p milliseconds are %s', (milliseconds, words) => {
	expect(inWords(milliseconds)).toBe(words);
});
