import type { INodeParameters } from 'n8n-workflow';

import { FAILURES } from '../../nodes/WorkflowInstanceService/api/failures';
import { createRedact } from '../../nodes/WorkflowInstanceService/api/redactor';
import {
	noResponse,
	rejectedKeysIn,
	serviceWords,
} from '../../nodes/WorkflowInstanceService/api/response';
import { parseJson } from '../../nodes/WorkflowInstanceService/values/json';
import { textsAt } from '../../scripts/parametersPage';
import { CREDENTIAL_TYPE, NODE_TYPE, types, useVirtualClock, watchRequests } from '../harness';
import { WHOLE_UPDATE } from './support/operations';
import { CONTINUE, locator, respond, useSandbox } from './support/sandbox';

const ID = locator(7);
const UPDATE = { operation: 'update', instanceId: ID, ...WHOLE_UPDATE };
const GET = { operation: 'get', instanceId: ID };
const DELETION = { operation: 'bulkDelete', instanceIds: '7, 8' };

const BASE_URL_ADVICE = /^Check that the 'Base URL' in the credential is the URL of your service\./;
const NO_KEY = '{"detail": "Anmeldedaten fehlen."}';
const PAGE = '<html><title>Sign in</title></html>';

describe('Messages', () => {
	const sandbox = useSandbox();
	useVirtualClock({ chance: () => 0.99 });
	const errorOf = async (parameters: INodeParameters) => {
		const { error } = await sandbox.run(parameters);
		return { message: error?.message ?? '', description: error?.description ?? '' };
	};

	/** done: an update may have been processed; part: it may be about only some of several instances. */
	type Traits = Array<'done' | 'part'>;
	const checkTraits = async (traits: Traits) => {
		const update = await errorOf(UPDATE);
		expect(/may already have been made/.test(update.description)).toBe(traits.includes('done'));
		const read = await errorOf(GET);
		expect(read.description).not.toContain('may already');
		const { outputs } = await sandbox.run(GET, [{}], CONTINUE);
		expect(outputs[0]?.[0]?.json.error).toBe(read.message);
		const { message } = await errorOf(DELETION);
		expect(message.includes('one or more of 2 instances')).toBe(traits.includes('part'));
		return update;
	};
	const REJECTED = 'The service rejected the request for instance 7';
	const NOWHERE = 'The response does not seem to come from a Workflow Instance Service';
	const UNEXPECTED = 'The service returned an unexpected status for instance 7';
	const NOTHING_THROUGH =
		'The node gave up on the request for instance 7, because no request of this kind has succeeded for';
	const KEY_REJECTED = "The service rejected the 'API Key' in the credential";
	const NO_ACCESS = 'The API key is not valid or does not have access to instance 7';
	const REDIRECTED = 'The service redirected the request for instance 7 to an unknown URL';
	const SIGN_IN = /^It may lead to a sign-in page\. Redirects aren't/;
	test.each<[status: number, body: string, message: string, advice: RegExp, traits: Traits]>([
		[302, '', REDIRECTED, SIGN_IN, ['done']],
		[307, '', REDIRECTED, SIGN_IN, ['done']],
		[304, '', UNEXPECTED, /'Base URL'/, ['done']],
		[400, '{}', REJECTED, /^The service gave no/, ['part']],
		[422, '"No."', REJECTED, /^Correct what/, ['part']],
		[400, PAGE, REJECTED, / is a web page, /, ['part']],
		[401, '', KEY_REJECTED, /, or ask a service admin to/, []],
		[403, NO_KEY, NO_ACCESS, /^Test the credential\. /, ['part']],
		[403, '', NO_ACCESS, /^Test the credential\. /, ['part']],
		[404, '', 'The service did not find instance 7', /this is the instance's ID, not/, ['part']],
		[410, ' ', 'The service did not find instance 7', /this is the instance's ID, not/, ['part']],
		[404, PAGE, NOWHERE, BASE_URL_ADVICE, []],
		[410, 'Gone', NOWHERE, BASE_URL_ADVICE, []],
		[405, '', 'The service does not accept this kind of request', BASE_URL_ADVICE, []],
		[415, '', 'The service does not accept this kind of request', / proxy or firewall blocks /, []],
		[407, PAGE, 'The proxy between n8n and the service rejected', /password of the proxy/, []],
		[408, '', 'The service did not receive the request for inst', /^Run/, ['done']],
		[409, '', 'The current state of instance 7 does not allow this', /^Check the inst/, ['part']],
		[413, '', 'The request for instance 7 is too large for the service', /^Shorten/, []],
		[418, '', UNEXPECTED, /^Ask a service/, ['done']],
		[429, '', NOTHING_THROUGH, /raise 'Max Wait/, []],
		[500, PAGE, 'The service could not process the request', /^Run [^<]*$/, ['done']],
		[502, '', 'A gateway got no valid response from the service for i', /^Run/, ['done']],
		[503, '', 'The service is not available at the moment', /^Run/, ['done']],
	])('The message about %d with %j says what happened and what to do', async (...row) => {
		const [status, body, message, advice, traits] = row;
		sandbox.fault(respond(status, body), { times: 0 });
		const { message: shown, description } = await checkTraits(traits);
		expect(shown).toMatch(new RegExp(`^${message}.* \\(${status}\\)`));
		expect(description).toMatch(advice);
	});

	const LOST = 'The connection was lost before the response for instance 7 arrived';
	const UNPACKED = 'The response for instance 7 could not be decompressed';
	const BLOCKED = 'n8n did not send the request for instance 7: .*The address is not allowed';
	const TOO_LATE = 'The service did not respond in time to the request for instance 7';
	test.each<[code: string, message: string, advice: RegExp, traits: Traits]>([
		['ECONNREFUSED', "Can't connect to http:\\S+", / wrong\. Check that the/, []],
		['ENOTFOUND', 'The host name in http:\\S+ was not found', /DNS may be .* check the proxy/, []],
		['ETIMEDOUT', TOO_LATE, /raise 'Timeout' under 'Request Options'/, ['done']],
		['ECONNRESET', LOST, /^Run the workflow again later\./, ['done']],
		['HPE_INVALID_CONSTANT', 'The server at http:\\S+ did not', /HTTPS/, ['done']],
		['EPROTO', 'The secure connection to http:\\S+ failed', /^If this keeps happening/, ['done']],
		['CERT_HAS_EXPIRED', 'A secure connection to http:\\S+ could', /'Ignore S/, []],
		...['Z_DATA_ERROR', 'ERR__ERROR_FORMAT_X', 'ZSTD_error_x'].map(
			(code): [string, string, RegExp, Traits] => [code, UNPACKED, /proxy/, ['done']],
		),
		['ERR_SOMETHING', 'There was no response from http:\\S+', /allowed/, ['done']],
		// n8n itself has blocked the request, and says why.
		['', BLOCKED, /^Ask your n8n admin whether n8n is allowed to connect .* check the proxy/, []],
	])('The message about %s says why there is no response and what to do', async (...row) => {
		const [code, message, advice, traits] = row;
		const thrown = Object.assign(new Error('The address is not allowed'), { code });
		const end = watchRequests((request) => request.destroy(thrown));
		const { message: shown, description } = await checkTraits(traits).finally(end);
		expect(shown).toMatch(new RegExp(`^${message}.*${code && ` \\(${code}\\)$`}`));
		expect(description).toMatch(advice);
	});

	test('A message says what waits add up to, and quotes the gateway', async () => {
		sandbox.fault(respond(502, PAGE, { 'retry-after': '1' }), { times: 0 });
		const { message } = await errorOf({ ...GET, options: { maxWait: 2 } });
		expect(message).toBe(
			'The node gave up on the request for instance 7, because the service says to retry in 1 second, for a total of 3 seconds (502): a web page, "Sign in"',
		);
	});

	test.each([
		['https://ann:pass@sso.example/in?ticket=a@b.example', 'https://sso.example/in…'],
		['', 'an unknown URL'],
	])(
		'A message quotes where a redirect leads, without its query and password: %j',
		async (...row) => {
			const [location, where] = row;
			sandbox.fault(respond(302, 'Moved.', { location }));
			const { message } = await errorOf(GET);
			const target = `${where} (302)`;
			expect(message).toBe(`The service redirected the request for instance 7 to ${target}`);
		},
	);

	test.each<[status: number, parameters: INodeParameters, advice: string]>([
		[413, DELETION, "Lower 'Batch Size' in the options."],
		[404, DELETION, 'Check that these are instance IDs, not row IDs.'],
		[400, DELETION, 'in this node. If the service limits how many'],
		[422, UPDATE, 'The service gave no reason. Check the values in this node.'],
		[400, GET, 'The service gave no reason. Check the values in this node.'],
	])('The advice on %d without words, for %j, is: %s', async (status, parameters, advice) => {
		sandbox.fault(respond(status));
		expect((await errorOf(parameters)).description).toContain(advice);
	});

	test('Messages name only labels that are on the screen', () => {
		const ofN8n = ['Ignore SSL Issues (Insecure)', 'Request Options', 'Timeout'];
		const labels = [
			...textsAt(types.getByName(NODE_TYPE).description, 'displayName'),
			...textsAt(types.getCredential(CREDENTIAL_TYPE), 'displayName'),
			...ofN8n,
		];
		const texts = Object.values(FAILURES).flatMap((row) => Object.values(row).map(String));
		const quoted = texts.flatMap((text) => text.match(/(?<!\w)'[^']+'(?!\w)/g) ?? []);
		const unknown = quoted.filter((label) => !labels.includes(label.slice(1, -1)));
		expect(unknown).toEqual([]);
		expect(quoted.length).toBeGreaterThan(10);
	});
});

const wordsIn = (text: string, type: string) =>
	serviceWords({
		...{ status: 400, headers: { 'content-type': type }, isGarbled: false },
		...{ text, json: parseJson(text), redact: String },
	});
const nested = (depth: number) => `${'{"a": ['.repeat(depth / 2)}"deep"${']}'.repeat(depth / 2)}`;

test.each<[body: string, words: string, type?: string]>([
	...['', '{}', 'null', '""', nested(22)].map((body): [string, string] => [body, '']),
	['0', '0'],
	[JSON.stringify([...'12345678901']), '1; 2; 3; 4; 5; 6; 7; 8; 9; 0; 1 more'],
	['"Not found."', 'Not found.'],
	['{"message": "No.", "code": 7}', 'No; code: 7'],
	['{"error": null, "name": ["Too long.", "Not unique."]}', 'name: Too long; name: Not unique.'],
	['{"step_assignments": [{"step_id": ["Unknown."]}]}', 'step_assignments.step_id: Unknown.'],
	[
		JSON.stringify({ step_assignments: [...Array(11).fill({}), { step_id: ['Unknown.'] }] }),
		'step_assignments[11].step_id: Unknown.',
	],
	['{"a": "See 1.5 now.", "b": "x", "c": ""}', 'a: See 1.5 now; b: x'],
	[nested(20), 'a.a.a.a.a.a.a.a.a.a: deep'],
	['{"\\u005f_proto__": {"detail": "No."}, "detail": "Yes."}', 'Yes.'],
	['{"__\\u0070roto__": {"detail": "No."}, "detail": "Yes."}', 'Yes.'],
	['  plain\n\ttext\u0000\u001b[31m  here ', 'plain text [31m here'],
	['{"detail": "cut o', '{"detail": "cut o'],
	['x'.repeat(601), `${'x'.repeat(600)}…`],
	[`{"stack": "${'x'.repeat(601)}", "message": "No."}`, `No; stack: ${'x'.repeat(589)}…`],
	['<html><title lang="en">Sign  in</title><h1>Hello</h1></html>', 'a web page, "Sign in"'],
	['\n <!doctype  HTML><H1 class="a">Not<br><em>here\n</em></h1>', 'a web page, "Not here"'],
	['<body><h1></h1></body>', 'a web page'],
	['<htmlx>', '<htmlx>'],
	[' <p>', 'a web page', 'text/html; charset=utf-8'],
	['a <html>', 'a <html>', 'text/html'],
])('The words of the service in %j are %j', (body, words, type = '') => {
	expect(wordsIn(body, type)).toBe(words);
});

test('A key is looked for in 200,000 backslashes, and keys in 100,000 objects, in no time', () => {
	const redact = createRedact('key-of-a-test');
	expect(redact('\\'.repeat(200_000))).toHaveLength(200_000);
	const errors = Array.from({ length: 100_000 }, (_, index) => ({ [`key${index}`]: ['No.'] }));
	const json = { errors, name: ['No.'] };
	const response = { status: 400, headers: {}, text: '', json, isGarbled: false, redact: String };
	expect(rejectedKeysIn(response, { deadline: null, name: 'A' })).toEqual(['name']);
});

test.each([
	['a page whose title never ends', '<html>' + '<title '.repeat(3_000_000)],
	['a page whose headings never end', '<html>' + '<h1>'.repeat(5_000_000)],
	['blanks', ' '.repeat(20_000_000)],
	['brackets with a key that matters', '{"__proto__":'.repeat(1_000_000)],
	['a list', JSON.stringify(Array(1_000_000).fill('No.'))],
])('The words of the service are found in megabytes of %s', (_what, body) => {
	expect(wordsIn(body, '').length).toBeLessThanOrEqual(601);
});

const cycle = { message: 'a' };
Object.assign(cycle, { cause: cycle });
test.each<[thrown: unknown, code: string, words: string]>([
	[{ httpCode: 'ECONNREFUSED', message: 'a' }, 'ECONNREFUSED', 'a'],
	[{ cause: { cause: { code: '1E1' } } }, '1E1', ''],
	[{ httpCode: '500', cause: { code: 'ECONNRESET' } }, 'ECONNRESET', ''],
	[{ code: 404, message: 'Blocked', description: 'Ask somebody!' }, '', 'Blocked. Ask somebody!'],
	[{ message: 'Proxy connection ended before' }, 'ECONNREFUSED', 'Proxy connection ended before'],
	[cycle, '', 'a'],
	[undefined, '', ''],
])('%p, thrown by n8n for a request, has a code and words', (thrown, networkCode, words) => {
	expect(noResponse(thrown)).toEqual({ networkCode, words });
});
