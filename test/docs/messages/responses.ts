import {
	CONTINUE_TO_TAKE_APART,
	outcomeOf,
	stoppedAt,
} from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/report';
import type { ServiceResponse } from '../../../nodes/WorkflowInstanceService/api/response';
import {
	heldError,
	responseError,
	networkError,
	type Sent,
	waitError,
} from '../../../nodes/WorkflowInstanceService/api/errors';
import { RESPONSES, type Row } from '../../../nodes/WorkflowInstanceService/api/messages';
import { NETWORK } from '../../../nodes/WorkflowInstanceService/api/networkMessages';
import { messageOf } from '../../../sandbox/guards';
import { CREDENTIAL_TYPE } from '../../harness';
import { loadPackage, types } from '../../harness/typeRegistry';
import { asMessage, type MessageGroup } from './collect';

const ADDRESS = 'https://example.com/api';
const SENT = {
	subject: 'instance 101',
	baseUrl: ADDRESS,
	mayBeDoneBefore: false,
	continues: false,
	now: 0,
	maxWait: 300_000,
};
const READ: Sent = { ...SENT, method: 'GET' };
const WRITE: Sent = { ...SENT, method: 'PUT' };
const SEVERAL: Sent = {
	...SENT,
	subject: '2 instances',
	part: 'one or more of 2 instances',
	method: 'POST',
};
const PAGE = '<!DOCTYPE html><title>Sign in</title>';

/** What stands for a row whose code is of many, or a part. */
const WHOLE_CODES: Record<string, string> = {
	'3xx': '301',
	'4xx': '418',
	'5xx': '507',
	Z_: 'Z_DATA_ERROR',
	HPE_: 'HPE_INVALID_CONSTANT',
};
const wholeCode = ({ codes: [code = ''] }: Row) => WHOLE_CODES[code] ?? code;

function response(status: number, text = '', headers = {}): ServiceResponse {
	return { status, headers, text, isGarbled: false, receivedAt: 0, quotable: () => text };
}

/** One for each row of the table, since all codes of a row share the words; then what else may be said. */
const refusals = () => [
	...RESPONSES.map((row) => {
		const body = wholeCode(row).endsWith('page') ? PAGE : '';
		return responseError(response(Number.parseInt(wholeCode(row)), body), WRITE);
	}),
	responseError(response(400, '{"name": ["Too long."], "tags": ["Not a list."]}'), WRITE),
	responseError(response(403, PAGE), READ),
	responseError(response(429, '', { 'retry-after': '30' }), READ),
	responseError(response(503, '', { 'retry-after': '7200' }), READ),
	responseError(response(302, '', { location: 'https://example.com/login?ticket=1' }), WRITE),
	responseError(response(999), READ),
	responseError(response(404), { ...WRITE, mayBeDoneBefore: true }),
	waitError(3_600_000, READ),
	heldError('instance 101', { wait: 40_000, isByCredential: false }),
	heldError('instance 101', { wait: 40_000, isByCredential: true }),
];

/** One for each row, and those of which the code is empty or on no row. */
const network = () => [
	...[...NETWORK.map(wholeCode), 'EOTHER'].map((networkCode) =>
		networkError({ networkCode, words: '' }, WRITE),
	),
	networkError(
		{ networkCode: '', words: 'The request was blocked because the hostname is restricted.' },
		READ,
	),
];

const stopped = () => [
	stoppedAt(
		{ number: 2, of: 3 },
		outcomeOf([101, 102, 103, 104, 105], { deleted: new Set([101, 102]), mayBeDone: new Set() }),
		responseError(response(403), SEVERAL),
		CONTINUE_TO_TAKE_APART,
	),
	stoppedAt(
		{ number: 2, of: 3 },
		outcomeOf([101, 102, 103, 104, 105], {
			deleted: new Set([101, 102]),
			mayBeDone: new Set([103, 104]),
		}),
		responseError(response(500), SEVERAL),
		'',
	),
];

/** Each text once, with the first status that it is for. */
function credentialMessages(): string[] {
	const rules = types.getCredential(CREDENTIAL_TYPE).test?.rules ?? [];
	const messages = rules.map(({ properties }) => String(properties.message));
	const texts = messages.map((message) => message.replace(/\(\d+\)/, ''));
	return messages.filter((_message, index) => texts.indexOf(texts[index] ?? '') === index);
}

async function keptBack(): Promise<string> {
	const { authenticate } = types.getCredential(CREDENTIAL_TYPE);
	if (typeof authenticate !== 'function') throw new Error('It is no function');
	const credential = { baseUrl: ADDRESS, apiKey: 'key-of-a-test' };
	return await authenticate(credential, { url: 'https://other.example/api/' }).then(
		() => '',
		messageOf,
	);
}

/** What the node and the credential can say about responses. */
export async function collectResponses(): Promise<MessageGroup[]> {
	await loadPackage();
	const group = (title: string, errors: Array<Parameters<typeof asMessage>[0]>): MessageGroup => ({
		title,
		messages: errors.map(asMessage),
	});
	return [
		group('The service rejects the request', refusals()),
		group('No response', network()),
		group('Bulk Delete stops partway', stopped()),
		group(
			'Credential test',
			credentialMessages().map((message) => ({ message })),
		),
		group('Credential in the HTTP Request node', [{ message: await keptBack() }]),
	];
}
