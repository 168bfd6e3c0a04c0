import { tableRow } from '../table';
import type { Collection, Row } from './collect';
import { CONDITION_GROUPS, NOTHING } from './conditions';
import type { Observation } from './observe';
import { type Scenario, SCENARIOS } from './scenarios';

const INTRODUCTION = `# Reliability

What the node does when everything else goes wrong. Each line of the tables is a real run in n8n's engine
against the sandbox service; \`npm run docs:reliability\` makes this page again, and a test compares it with
what the node does now.

Each run has three input items, 0, 1 and 2. Item 1, in the middle, meets the trouble; a line marked "every item"
is about the credential, so that no item gets through. One request is under way at a time
('Max Concurrent Requests' is 1), which shows what Stop keeps back. All other options have their defaults.

How to read a cell, e.g. _sent 1 2 0, done 0, stops at 1_:

- **sent** how many requests reached the service for item 0, 1 and 2
- **done** the items whose work the service has done, whatever it answered
- **out** the output items, each by the number of the input item that n8n pairs it to
- **not processed** the error items, in the same way. With Continue they stand among the output items, with
  Continue (using error output) on the error output
- **stops at** the item that n8n marks when the node stops; what Bulk Delete then says about the items is added

The advice that the user gets beside a message has a number; the texts are at the end. With Stop it also says when
Retry On Fail (in the settings of the node) would help, or, for Bulk Delete, when Continue would.
`;

const ADVICE_TITLE = '## Advice';

/** What the lines of a page have in common. */
interface Context {
	/** The texts at the end of the page, in order. */
	advices: string[];
	/** What comes out for the item in the middle when nothing goes wrong. */
	usual: Map<Scenario, string>;
}

/** Texts that would differ from run to run. */
function normalised(text: string): string {
	return (
		text
			.replace(/x{64}\.invalid/g, 'no-such-host.example')
			.replace(/http:\/\/127\.0\.0\.1:1(?!\d)/g, 'http://127.0.0.1:9')
			.replace(/(https?):\/\/127\.0\.0\.1:\d{2,5}(\/login)/g, 'https://other.example$2')
			.replace(/(https?):\/\/127\.0\.0\.1:\d{2,5}/g, '$1://service.example')
			// Without a network, name servers cannot be asked.
			.replace('EAI_AGAIN', 'ENOTFOUND')
			.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '2026-01-01T00:00:00Z')
			.replace(/(long ){20,}(long|lon|lo|l)?…/, 'long long …')
	);
}

/** Text in a cell of a table. */
function cell(text: string): string {
	return normalised(text).replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function list(name: string, items: Array<number | string>): string {
	return items.length === 0 ? '' : `${name} ${items.join(' ')}`;
}

function toldCell(told: Observation['told']): string {
	if (told === undefined) return '';
	const parts = [
		list('deleted', told.deleted),
		list('not deleted', told.notDeleted),
		list('unknown', told.uncertain),
	];
	return `(${parts.filter(Boolean).join(', ')})`;
}

/** One setting of one line. */
function observationCell(observation: Observation): string {
	const { sent, changed, good, bad, stoppedAt, told } = observation;
	const stop = stoppedAt === undefined ? '' : `stops at ${stoppedAt} ${toldCell(told)}`.trim();
	return [
		list('sent', sent),
		list('done', changed),
		list('out', good),
		list('not processed', bad),
		stop,
	]
		.filter(Boolean)
		.join(', ');
}

function outputOf({ observations }: Row): string {
	return `\`${normalised(JSON.stringify(observations.continueErrorOutput.output ?? {}))}\``;
}

/** What the user sees of the item in the middle, as far as it is the same whatever the setting. */
function messageCell(row: Row, { advices, usual }: Context): string {
	const { message, advice } = row.observations.continueErrorOutput;
	const output = outputOf(row);
	if (message !== '') return `${cell(message)} [${advices.indexOf(normalised(advice)) + 1}]`;
	const isUsual = row.condition !== NOTHING && output === usual.get(row.scenario);
	return isUsual ? '_the usual output_' : `_output:_ ${output}`;
}

function line(row: Row, context: Context): string {
	const { condition, observations } = row;
	return tableRow([
		condition.name,
		messageCell(row, context),
		observationCell(observations.stopWorkflow),
		observationCell(observations.continueRegularOutput),
		observationCell(observations.continueErrorOutput),
	]);
}

function linesOf(scenario: Scenario, rows: Row[], context: Context): string[] {
	return CONDITION_GROUPS.flatMap(({ title, conditions }) => {
		const lines = rows
			.filter((row) => row.scenario === scenario && conditions.includes(row.condition))
			.map((row) => line(row, context));
		return lines.length === 0 ? [] : [`| **${title}** | | | | |`, ...lines];
	});
}

function section(scenario: Scenario, rows: Row[], context: Context): string {
	return [
		`## ${scenario.title}`,
		'',
		`The trouble meets ${scenario.hit}.`,
		'',
		'| What happens | What the user sees | Stop | Continue | Continue (using error output) |',
		'| --- | --- | --- | --- | --- |',
		...linesOf(scenario, rows, context),
	].join('\n');
}

function contextOf({ rows }: Collection): Context {
	const all = rows.map(({ observations }) => normalised(observations.continueErrorOutput.advice));
	const plain = rows.filter(({ condition }) => condition === NOTHING);
	return {
		advices: [...new Set(all.filter(Boolean))],
		usual: new Map(plain.map((row) => [row.scenario, outputOf(row)])),
	};
}

/** The page, not yet laid out by prettier. */
export function reliabilityPage(collection: Collection): string {
	const context = contextOf(collection);
	return [
		INTRODUCTION,
		...SCENARIOS.map((scenario) => `${section(scenario, collection.rows, context)}\n`),
		ADVICE_TITLE,
		'',
		...context.advices.map((advice, index) => `${index + 1}. ${advice}`),
		'',
	].join('\n');
}

/**
 * The lines of a part of the rows as they stand in a page, plain rows among them.
 *
 * @param page where the numbers of the advice are taken from
 */
export function linesWithin(page: string, collection: Collection): string[] {
	const { usual } = contextOf(collection);
	const list = unlaid(page.slice(page.indexOf(ADVICE_TITLE))).slice(1);
	const context = { advices: list.map((each) => each.replace(/^\d+\. /, '')), usual };
	const lines = SCENARIOS.flatMap((scenario) => linesOf(scenario, collection.rows, context));
	return unlaid(lines.join('\n'));
}

/** A page without what prettier adds, for comparisons. */
export function unlaid(page: string): string[] {
	return page
		.split('\n')
		.map((each) => each.replace(/-{3,}/g, '---').replace(/\s+/g, ' ').trim())
		.filter(Boolean);
}
