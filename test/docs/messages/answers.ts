import { stoppedAt } from '../../../nodes/WorkflowInstanceService/resources/instance/bulkDelete/stop';
import type { Answer } from '../../../nodes/WorkflowInstanceService/service/answer';
import {
	answerTrouble,
	networkTrouble,
	type Sent,
} from '../../../nodes/WorkflowInstanceService/service/failures';
import { ANSWERS, NETWORK } from '../../../nodes/WorkflowInstanceService/service/messages';
import type { Trouble } from '../../../nodes/WorkflowInstanceService/values/trouble';
import { CREDENTIAL_TYPE } from '../../harness';
import { loadPackage, types } from '../../harness/type-registry';
import type { Message, MessageGroup } from './collect';

const ADDRESS = 'https://example.com/api';
const SENT = { subject: 'instance 101', baseUrl: ADDRESS, isUncertain: false };
const READ: Sent = { ...SENT, method: 'GET' };
const WRITE: Sent = { ...SENT, method: 'PUT' };
const PAGE = '<!DOCTYPE html><title>Sign in</title>';
/** One that no row of the table names. */
const UNNAMED_4XX = 418;
const UNNAMED_5XX = 507;

function answer(status: number, headers: Record<string, string> = {}, text = ''): Answer {
	return { status, headers, text, quotable: () => text };
}

function told({ message, advice }: Trouble): Message {
	return { message, advice };
}

function statusOf(code: string): number {
	const names: Record<string, number> = { '4xx': UNNAMED_4XX, '5xx': UNNAMED_5XX };
	return names[code] ?? Number.parseInt(code);
}

/** One message a row of the table: all codes of a row share the words. */
const refusals = ANSWERS.map(({ codes: [code = ''] }) =>
	told(answerTrouble(answer(statusOf(code), {}, code.endsWith('page') ? PAGE : ''), WRITE)),
);

const OTHER_ANSWERS: Message[] = [
	answerTrouble(answer(400, {}, '{"name": ["Too long."], "tags": ["Not a list."]}'), WRITE),
	answerTrouble(answer(403, {}, PAGE), READ),
	answerTrouble(answer(429, { 'retry-after': '30' }), READ),
	answerTrouble(answer(503, { 'retry-after': '7200' }), READ),
	answerTrouble(answer(302, { location: 'https://example.com/login?ticket=1' }), READ),
	answerTrouble(answer(304), READ),
	answerTrouble(answer(999), READ),
	answerTrouble(answer(404), { ...WRITE, isUncertain: true }),
].map(told);

/** What stands for codes of which the table has a part. */
const WHOLE_CODES: Record<string, string> = {
	Z_: 'Z_DATA_ERROR',
	HPE_: 'HPE_INVALID_CONSTANT',
};

/** One message a row, and those of which the code is empty or on no row. */
const network = [...NETWORK.map(({ codes: [code = ''] }) => code), 'EOTHER'].map((code) =>
	told(networkTrouble({ networkCode: WHOLE_CODES[code] ?? code, words: '' }, WRITE)),
);

const BLOCKED = networkTrouble(
	{ networkCode: '', words: 'The request was blocked because the hostname is restricted.' },
	READ,
);

const BATCHES = [[101, 102], [103, 104], [105]];

const STOPPED: Message[] = [answer(403), answer(500)].map((each) => {
	const sent: Sent = { ...SENT, subject: '2 instances', method: 'POST' };
	return told(stoppedAt(1, BATCHES, [101, 102], answerTrouble(each, sent)));
});

function credentialMessages(): string[] {
	const rules = types.getCredential(CREDENTIAL_TYPE).test?.rules ?? [];
	return rules.map(({ properties }) => String(properties.message));
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
		{ title: 'The service refuses', messages: [...refusals, ...OTHER_ANSWERS] },
		{ title: 'No answer comes', messages: [...network, told(BLOCKED)] },
		{ title: 'Bulk Delete stops in the middle', messages: STOPPED },
		{ title: 'The test of the credential', messages: credentialMessages().map(alone) },
		{ title: 'The credential in the HTTP Request node', messages: [await keptBack()] },
	];
}
