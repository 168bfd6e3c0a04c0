import { CONTINUE_TO_TAKE_APART } from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/deletion';
import { stoppedAt } from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/report';
import type { ServiceResponse } from '../../../nodes/WorkflowInstanceService/api/response';
import {
	responseError,
	networkError,
	type Sent,
} from '../../../nodes/WorkflowInstanceService/api/errors';
import { RESPONSES } from '../../../nodes/WorkflowInstanceService/api/messages';
import { NETWORK } from '../../../nodes/WorkflowInstanceService/api/networkMessages';
import type { UserFacingError } from '../../../nodes/WorkflowInstanceService/values/userFacingError';
import { CREDENTIAL_TYPE } from '../../harness';
import { loadPackage, types } from '../../harness/typeRegistry';
import type { Message, MessageGroup } from './collect';

const ADDRESS = 'https://example.com/api';
const SENT = {
	subject: 'instance 101',
	baseUrl: ADDRESS,
	mayBeDoneBefore: false,
	continues: false,
	now: 0,
};
const READ: Sent = { ...SENT, method: 'GET' };
const WRITE: Sent = { ...SENT, method: 'PUT' };
const PAGE = '<!DOCTYPE html><title>Sign in</title>';
/** One that no row of the table names. */
const UNNAMED_4XX = 418;
const UNNAMED_5XX = 507;

function answer(status: number, headers: Record<string, string> = {}, text = ''): ServiceResponse {
	return { status, headers, text, isGarbled: false, quotable: () => text };
}

function told({ message, description }: UserFacingError): Message {
	return { message, advice: description };
}

function statusOf(code: string): number {
	const names: Record<string, number> = { '3xx': 301, '4xx': UNNAMED_4XX, '5xx': UNNAMED_5XX };
	return names[code] ?? Number.parseInt(code);
}

/** One message a row of the table: all codes of a row share the words. */
const refusals = () =>
	RESPONSES.map(({ codes: [code = ''] }) =>
		responseError(answer(statusOf(code), {}, code.endsWith('page') ? PAGE : ''), WRITE),
	);

const otherResponses = () => [
	responseError(answer(400, {}, '{"name": ["Too long."], "tags": ["Not a list."]}'), WRITE),
	responseError(answer(403, {}, PAGE), READ),
	responseError(answer(429, { 'retry-after': '30' }), READ),
	responseError(answer(503, { 'retry-after': '7200' }), READ),
	responseError(answer(302, { location: 'https://example.com/login?ticket=1' }), WRITE),
	responseError(answer(999), READ),
	responseError(answer(404), { ...WRITE, mayBeDoneBefore: true }),
];

/** What stands for codes of which the table has a part. */
const WHOLE_CODES: Record<string, string> = {
	Z_: 'Z_DATA_ERROR',
	HPE_: 'HPE_INVALID_CONSTANT',
};

/** One message a row, and those of which the code is empty or on no row. */
const network = () =>
	[...NETWORK.map(({ codes: [code = ''] }) => code), 'EOTHER'].map((code) =>
		networkError({ networkCode: WHOLE_CODES[code] ?? code, words: '' }, WRITE),
	);

const blocked = () =>
	networkError(
		{ networkCode: '', words: 'The request was blocked because the hostname is restricted.' },
		READ,
	);

const REFUSED = { deleted: [101, 102], notDeleted: [103, 104, 105], unknown: [] };
const IN_DOUBT = { deleted: [101, 102], notDeleted: [105], unknown: [103, 104] };

const stopped = () =>
	[
		{ response: answer(403), outcome: REFUSED, advice: CONTINUE_TO_TAKE_APART },
		{ response: answer(500), outcome: IN_DOUBT },
	].map(({ response, outcome, advice }) => {
		const several = '2 instances';
		const sent: Sent = {
			...SENT,
			subject: several,
			part: `one or more of ${several}`,
			method: 'POST',
		};
		return stoppedAt({ batch: 2, of: 3 }, outcome, responseError(response, sent), advice);
	});

/** Each text once, with the first status that it is for. */
function credentialMessages(): string[] {
	const rules = types.getCredential(CREDENTIAL_TYPE).test?.rules ?? [];
	const messages = rules.map(({ properties }) => String(properties.message));
	const texts = messages.map((message) => message.replace(/\(\d+\)/, ''));
	return messages.filter((_message, index) => texts.indexOf(texts[index] ?? '') === index);
}

async function keptBack(): Promise<Message> {
	const { authenticate } = types.getCredential(CREDENTIAL_TYPE);
	if (typeof authenticate !== 'function') throw new Error('It is no function');
	const url = 'https://other.example/api/';
	const refusal = await authenticate({ baseUrl: ADDRESS, apiKey: 'key-of-a-test' }, { url }).then(
		() => undefined,
		(cause: unknown) => cause,
	);
	return { message: refusal instanceof Error ? refusal.message : '', advice: '' };
}

const alone = (message: string): Message => ({ message, advice: '' });

/** What the node and the credential can say about answers. */
export async function collectAnswers(): Promise<MessageGroup[]> {
	await loadPackage();
	return [
		{ title: 'The service refuses', messages: [...refusals(), ...otherResponses()].map(told) },
		{ title: 'No response comes', messages: [...network(), blocked()].map(told) },
		{ title: 'Bulk Delete stops in the middle', messages: stopped().map(told) },
		{ title: 'The test of the credential', messages: credentialMessages().map(alone) },
		{ title: 'The credential in the HTTP Request node', messages: [await keptBack()] },
	];
}
