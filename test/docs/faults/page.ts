import { cellsOf, tableRow } from '../table';
import { ADVICE_NAMES, adviceParts } from './advice';
import type { Cell, ObservedCell } from './collect';
import { CONDITION_GROUPS, NOTHING } from './conditions';
import { type Observation, SETTINGS } from './observe';
import { type Scenario, SCENARIOS } from './scenarios';

const INTRODUCTION = `# Reliability

What the node does when something goes wrong. Each row comes from real runs in n8n's engine against the sandbox service.
\`npm run docs:reliability\` writes this page, and tests compare it with what the node does.

Each run has three input items: 0, 1 and 2. The condition affects item 1. Conditions marked _every item_ affect the credential,
so no item gets through. To show what Stop holds back, _Max Concurrent Requests_ is 1. All other options have their defaults.

How to read a cell, such as _sent 1 2 0, done 0, stops at 1_:

- **sent**: how many requests reached the service for items 0, 1 and 2
- **done**: the items that the service processed, regardless of its response
- **out**: the output items, each by the number of the input item that n8n links it to
- **not processed**: the error items, likewise. With Continue they're in the regular output, with Continue (using error output)
  in the error output
- **stops at**: the item that n8n highlights when the node stops, and what Bulk Delete reports about the others

The name in brackets after a message refers to the description that n8n shows with it: see [Advice](#advice). With Stop, the
description also says whether Retry On Fail, or Continue for Bulk Delete, would help.
`;

const HEAD = ['What happens', 'What the user sees', ...SETTINGS.map(({ label }) => label)];
const ADVICE = /^- \*\*([\w-]+)\*\*: (.+)$/;

/** What the page says, apart from its fixed texts. */
export interface Page {
	/** By operation and condition, what the user sees and what happens with each setting. */
	rows: Map<string, string[]>;
	/** The texts of the advice, by name. */
	advice: Map<string, string>;
}

/** The name of a line, e.g. `Get: 401`. */
export const rowName = ({ scenario, condition }: Omit<Cell, 'setting'>): string =>
	`${scenario.title}: ${condition.name}`;

/** The place of a setting in the cells of a row. */
export const columnOf = ({ setting }: Cell): number =>
	SETTINGS.findIndex(({ onError }) => onError === setting) + 1;

/** Replaces what would differ from run to run. */
function normalized(text: string): string {
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

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const list = (name: string, items: Array<number | string>): string =>
	items.length === 0 ? '' : `${name} ${items.join(' ')}`;

const joined = (parts: string[]): string => parts.filter(Boolean).join(', ');

function stopText({ stoppedAt, told }: Observation): string {
	if (stoppedAt === undefined) return '';
	if (told === undefined) return `stops at ${stoppedAt}`;
	const { deleted, notDeleted, uncertain } = told;
	const items = [
		list('deleted', deleted),
		list('not deleted', notDeleted),
		list('unknown', uncertain),
	];
	return `stops at ${stoppedAt} (${joined(items)})`;
}

/** What happened with one setting. */
export function outcomeText(observation: Observation): string {
	const { sent, changed, good, bad } = observation;
	return joined([
		list('sent', sent),
		list('done', changed),
		list('out', good),
		list('not processed', bad),
		stopText(observation),
	]);
}

/** The named parts of the advice that came with a message. */
export const adviceOf = ({ advice }: Observation): Map<string, string> =>
	adviceParts(normalized(advice));

/**
 * What the user sees of the item in the middle.
 *
 * @param usual what that is when nothing goes wrong
 */
export function seenText(observation: Observation, usual: string | undefined): string {
	const { message, output = {} } = observation;
	if (message !== '') {
		return `${escaped(normalized(message))} [${[...adviceOf(observation).keys()].join(', ')}]`;
	}
	const seen = `_output:_ \`${normalized(JSON.stringify(output))}\``;
	return seen === usual ? '_the usual output_' : seen;
}

/** What the user sees when nothing goes wrong, unless it is about that very row. */
export function usualOutput({ rows }: Page, { scenario, condition }: Cell): string | undefined {
	return condition === NOTHING
		? undefined
		: rows.get(rowName({ scenario, condition: NOTHING }))?.[0];
}

/** Reads a page that was written before. */
export function parsePage(markdown: string): Page {
	const page: Page = { rows: new Map(), advice: new Map() };
	let title = '';
	for (const line of markdown.split('\n')) {
		if (line.startsWith('## ')) title = line.slice(3);
		const [condition, ...cells] = line.startsWith('| ') ? cellsOf(line) : [];
		if (condition !== undefined) page.rows.set(`${title}: ${condition}`, cells);
		const [, name = '', text] = ADVICE.exec(line) ?? [];
		if (text !== undefined) page.advice.set(name, text);
	}
	return page;
}

/** Writes what was observed over what the page says. */
export function withObserved({ rows, advice }: Page, observed: ObservedCell[]): Page {
	const page: Page = { rows: new Map(rows), advice: new Map(advice) };
	for (const { observation, ...cell } of observed) {
		const row = [...(page.rows.get(rowName(cell)) ?? [])];
		row[columnOf(cell)] = outcomeText(observation);
		if (cell.setting === 'continueErrorOutput') {
			row[0] = seenText(observation, usualOutput(page, cell));
			for (const [name, text] of adviceOf(observation)) page.advice.set(name, text);
		}
		page.rows.set(rowName(cell), row);
	}
	return page;
}

function linesOf(scenario: Scenario, { rows }: Page): string[] {
	return CONDITION_GROUPS.flatMap(({ title, conditions }) => {
		const lines = conditions.flatMap((condition) => {
			const cells = rows.get(rowName({ scenario, condition }));
			return cells === undefined ? [] : [tableRow([condition.name, ...cells])];
		});
		return lines.length === 0 ? [] : [`| **${title}** | | | | |`, ...lines];
	});
}

const section = (scenario: Scenario, page: Page): string => `## ${scenario.title}

The condition affects ${scenario.hit}.

${[tableRow(HEAD), tableRow(HEAD.map(() => '---')), ...linesOf(scenario, page)].join('\n')}
`;

/** The page as Markdown, with the advice that its lines name. */
export function render(page: Page): string {
	const sections = SCENARIOS.map((scenario) => section(scenario, page));
	const named = new Set(
		[...sections.join('').matchAll(/ \[([\w, -]+)\] \|/g)].flatMap(([, names = '']) =>
			names.split(', '),
		),
	);
	const advice = ADVICE_NAMES.filter((name) => named.has(name)).map(
		(name) => `- **${name}**: ${page.advice.get(name)}`,
	);
	return [INTRODUCTION, ...sections, '## Advice\n', ...advice, ''].join('\n');
}
