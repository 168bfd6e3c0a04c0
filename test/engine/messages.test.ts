import { RESPONSES } from '../../nodes/WorkflowInstanceService/api/messages';
import { NETWORK } from '../../nodes/WorkflowInstanceService/api/networkMessages';
import { INSTANCE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/fields';
import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE, useLocalServers } from '../harness';
import { types } from '../harness/typeRegistry';
import { collectResponses } from '../docs/messages/responses';
import { collectRefusals, type Message, type MessageGroup } from '../docs/messages/collect';
import { messageSites } from '../docs/messages/sites';

jest.setTimeout(300_000);

/** What n8n itself calls the things that messages name. */
const NAMES_IN_N8N = [
	...['Allowed HTTP Request Domains', 'Ignore SSL Issues', 'Ignore SSL Issues (Insecure)'],
	...['On Error', 'Proxy', 'Request Options', 'Retry On Fail', 'Timeout'],
];
/** Fields that are in the output under these names. */
const NAMES_IN_OUTPUT = ['url', 'public_url', 'process'];
/** What a Bulk Delete that stops adds to the advice. */
const OUTCOME = / (Deleted|Not deleted|Unknown): [\d, ]+\..*$/;
/** How a message begins: with a name, a word, or the value that it is about. */
const BEGINNING = /^(['A-Z]|n8n |("|-?\d)(.* )?(in '[A-Z]|\('[A-Z]|is not a valid '[A-Z]))/;
/** Groups whose messages are about what the user has entered. */
const ABOUT_INPUT = /^(Instance and Process|Output|Options|Update|Bulk Delete|Trigger)$/;
/** Groups whose texts say in one what happened and what to do. */
const IN_ONE = ['Credential test', 'Credential in the HTTP Request node'];
const NOT_OURS = 'Messages from n8n and Node.js';

function labelsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, child]) =>
		key === 'displayName' ? [String(child)] : labelsIn(child),
	);
}

describe('the messages', () => {
	useLocalServers();
	let collecting: Promise<MessageGroup[]> | undefined;
	// In the first test, not before it: what is run there counts as tested by it.
	const collect = async () =>
		await (collecting ??= (async () => [
			...(await collectRefusals()),
			...(await collectResponses()),
		])());
	const messagesOf = async (isWanted: (title: string) => boolean) =>
		(await collect()).filter(({ title }) => isWanted(title)).flatMap(({ messages }) => messages);
	const whole = ({ message, advice }: Message) => `${message} | ${advice}`;

	test('are all there: every place that makes one has made one', async () => {
		const said = await messagesOf(() => true);
		const silent = messageSites().filter(
			(site) =>
				!said.some(
					({ message, advice }) =>
						site.message.test(message) && site.advice.test(advice.replace(OUTCOME, '')),
				),
		);
		expect(silent.map(({ place }) => place)).toEqual([]);
		expect(messageSites().length).toBeGreaterThan(30);
	});

	test('say what happened, then what to do, each in one line', async () => {
		for (const each of await messagesOf((title) => title !== NOT_OURS && !IN_ONE.includes(title))) {
			expect(each.message).toMatch(BEGINNING);
			expect(each.message).toMatch(/^.{0,198}[^\s,;:]$/);
			expect(each.advice).toMatch(/^[A-Z].{0,346}[^.]\.$/);
			expect(whole(each)).not.toContain('  ');
		}
		for (const { message } of await messagesOf((title) => IN_ONE.includes(title))) {
			expect(message).toMatch(/^['A-Z].{0,197}\. (Check|Copy|Ask|Wait|Try|Use) .*\.$/);
		}
	});

	test('are in one row for each code: none is twice in api/messages.ts and networkMessages.ts', () => {
		const codes = [...RESPONSES, ...NETWORK].flatMap((row) => row.codes);
		expect(codes.filter((code, index) => codes.indexOf(code) < index)).toEqual([]);
	});

	test('name the parameter when they are about input', async () => {
		const generic = ['There is nothing to update', 'There are no IDs to delete'];
		for (const { message, advice } of await messagesOf((title) => ABOUT_INPUT.test(title))) {
			expect(generic.includes(message) ? advice : message).toMatch(/'[A-Z][A-Za-z ]+'/);
		}
	});

	test('name only what is on the screen', async () => {
		const labels = new Set([
			...labelsIn(types.getByName(NODE_TYPE).description),
			...labelsIn(types.getByName(TRIGGER_TYPE).description),
			...labelsIn(types.getCredential(CREDENTIAL_TYPE)),
			...Object.values(INSTANCE_FIELDS),
			...NAMES_IN_N8N,
			...NAMES_IN_OUTPUT,
		]);
		const all = await messagesOf((title) => title !== NOT_OURS);
		const named = all.flatMap((each) => whole(each).match(/(?<![\w"])'[^']+'(?!\w)/g) ?? []);
		const unknown = named.map((name) => name.slice(1, -1)).filter((name) => !labels.has(name));
		expect([...new Set(unknown)]).toEqual([]);
		expect(named.length).toBeGreaterThan(50);
	});
});
