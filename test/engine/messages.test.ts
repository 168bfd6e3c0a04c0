import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE, useLocalServers } from '../harness';
import { types } from '../harness/typeRegistry';
import { unlaid } from '../docs/faults/page';
import { collectAnswers } from '../docs/messages/answers';
import { collectRefusals, type Message, type MessageGroup } from '../docs/messages/collect';
import { messagesPage } from '../docs/messages/page';
import { messageSites } from '../docs/messages/sites';

jest.setTimeout(300_000);

const PAGE = readFileSync(join(__dirname, '..', '..', 'docs', 'messages.md'), 'utf8');
const REMAKE = 'If the change is wanted, run: npm run docs:messages';

/** What n8n itself calls the things that messages name. */
const NAMES_IN_N8N = ['Request Options', 'Retry On Fail', 'Ignore SSL Issues', 'On Error'];
/** Fields that are in the output under these names. */
const NAMES_IN_OUTPUT = ['url', 'public_url', 'process'];
/** What a Bulk Delete that stops adds to the advice. */
const OUTCOME = / (Deleted|Not deleted|Unknown): [\d, ]+\..*$/;
/** How a message begins: with a name, a word, or the value that it is about. */
const BEGINNING = /^(['A-Z]|n8n |("|\d)(.* )?(in '[A-Z]|\('[A-Z]|is not a valid '[A-Z]))/;
/** Groups whose messages are about what the user has entered. */
const ABOUT_INPUT = [
	'Which instance or process',
	'Output',
	'Options',
	'Update',
	'Bulk Delete',
	'Trigger',
];
/** Groups whose texts say in one what happened and what to do. */
const IN_ONE = ['The test of the credential', 'The credential in the HTTP Request node'];
const NOT_OURS = 'Whatever else happens keeps its own words';

const BANNED = /\b(error|problem|failure|mistake|exception|null|undefined|NaN|invalid)s?\b/i;

function labelsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, child]) =>
		key === 'displayName' ? [String(child)] : labelsIn(child),
	);
}

async function collect(): Promise<MessageGroup[]> {
	return [...(await collectRefusals()), ...(await collectAnswers())];
}

describe('the messages', () => {
	useLocalServers();
	let collecting: Promise<MessageGroup[]> | undefined;
	// In the first test, not before it: what is run there counts as tested by it.
	const collected = async () => await (collecting ??= collect());
	const oursAmong = (groups: MessageGroup[]) =>
		groups.filter(({ title }) => title !== NOT_OURS).flatMap(({ messages }) => messages);
	const messagesOf = (groups: MessageGroup[], titles: string[]) =>
		groups.filter(({ title }) => titles.includes(title)).flatMap(({ messages }) => messages);
	const whole = ({ message, advice }: Message) => `${message} | ${advice}`;
	const ownWords = (each: Message) => whole(each).replaceAll("'On Error'", '');

	test(`are as docs/messages.md says. ${REMAKE}`, async () => {
		const groups = await collected();
		expect(unlaid(messagesPage(groups))).toEqual(unlaid(PAGE));
	});

	test('are all there: every place that makes one has made one', async () => {
		const groups = await collected();
		const said = groups.flatMap(({ messages }) => messages);
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

	test('use no word that blames or that only programmers know', async () => {
		const ours = oursAmong(await collected());
		expect(ours.map(ownWords).filter((text) => BANNED.test(text))).toEqual([]);
		expect(ours.map(whole).filter((text) => /\n|\bat .*\.(js|ts):\d/.test(text))).toEqual([]);
	});

	test('say what happened, then what to do', async () => {
		const groups = await collected();
		const ours = oursAmong(groups);
		const inOne = new Set(messagesOf(groups, IN_ONE));
		for (const each of ours.filter((message) => !inOne.has(message))) {
			expect(each.message).toMatch(BEGINNING);
			expect(each.message).toMatch(/[^\s,;:]$/);
			expect(each.advice).toMatch(/^[A-Z].*[^.]\.$/);
			expect(whole(each)).not.toContain('  ');
		}
		for (const { message } of messagesOf(groups, IN_ONE))
			expect(message).toMatch(/^['A-Z].*[^\s,;:]$/);
	});

	test('say in the test of the credential what to do, too', async () => {
		const groups = await collected();
		for (const { message } of messagesOf(groups, ['The test of the credential'])) {
			expect(message).toMatch(/\. (Check|Copy|Ask|Wait|Try) .*\.$/);
		}
	});

	test('name the parameter when they are about input', async () => {
		const groups = await collected();
		const generic = ['Nothing to update was chosen', 'There are no IDs to delete'];
		for (const { message, advice } of messagesOf(groups, ABOUT_INPUT)) {
			expect(generic.includes(message) ? advice : message).toMatch(/'[A-Z][A-Za-z ]+'/);
		}
	});

	test('name only what is on the screen', async () => {
		const ours = oursAmong(await collected());
		const labels = new Set([
			...labelsIn(types.getByName(NODE_TYPE).description),
			...labelsIn(types.getByName(TRIGGER_TYPE).description),
			...labelsIn(types.getCredential(CREDENTIAL_TYPE)),
			...NAMES_IN_N8N,
			...NAMES_IN_OUTPUT,
		]);
		const named = ours.flatMap((each) => whole(each).match(/(?<![\w"])'[^']+'(?!\w)/g) ?? []);
		const unknown = named.map((name) => name.slice(1, -1)).filter((name) => !labels.has(name));
		expect([...new Set(unknown)]).toEqual([]);
		expect(named.length).toBeGreaterThan(50);
	});

	test('are short enough to be read', async () => {
		const ours = oursAmong(await collected());
		for (const { message, advice } of ours) {
			expect(message.length).toBeLessThan(200);
			expect(advice.length).toBeLessThan(350);
		}
	});
});
