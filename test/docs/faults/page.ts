import { cellsOf, table, tableRow } from '../table';
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

- **sent**: how many requests reached the service for items 0, 1 and 2. To find out whether only
  item 1 is affected, another item is sometimes read again.
- **done**: the items that the service processed, regardless of its response
- **out**: the output items, each by the number of the input item that n8n links it to
- **not processed**: the error items, likewise. With Continue they're in the regular output, with Continue (using error output)
  in the error output
- **stops at**: the item that n8n highlights when the node stops, and what Bulk Delete reports about the others

The number in brackets after a message refers to the [description](#descriptions) that n8n shows with it. With Stop, the
description also says whether Retry On Fail, or Continue for Bulk Delete, would help.
`;

const HEAD = ['What happens', 'What the user sees', ...SETTINGS.map(({ label }) => label)];
const DESCRIPTION = /^(\d+)\. (.+)$/gm;

/** What the page says of an operation under a condition. */
interface Row {
	/** What the user sees of the item in the middle. */
	seen: string;
	/** What n8n shows below a message; empty without one. */
	advice: string;
	/** What happens with each setting. */
	outcomes: string[];
}

/** The rows of the page by their names. */
export type Page = Map<string, Row>;

/** The name of a line, e.g. `Get: 401`. */
export const rowName = ({ scenario, condition }: Omit<Cell, 'setting'>): string =>
	`${scenario.title}: ${condition.name}`;

/** The place of a setting in the cells of a row. */
export const columnOf = ({ setting }: Cell): number =>
	SETTINGS.findIndex(({ onError }) => onError === setting);

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
			.replace(/(?<=\{"process":"[^"]+",).+…/, '…')
	);
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const list = (name: string, items: Array<number | string>): string =>
	items.length === 0 ? '' : `${name} ${items.join(' ')}`;

const joined = (parts: string[]): string => parts.filter(Boolean).join(', ');

function stopText({ stoppedAt, told }: Observation): string {
	if (stoppedAt === undefined) return '';
	if (told === undefined) return `stops at ${stoppedAt}`;
	const items = Object.entries(told).map(([name, of]) => list(name, of));
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

/** What n8n shows below the message. */
export const adviceOf = ({ advice }: Observation): string => normalized(advice);

/**
 * What the user sees of the item in the middle.
 *
 * @param usual what that is when nothing goes wrong
 */
export function seenText({ message, output = {} }: Observation, usual: string | undefined): string {
	if (message !== '') return escaped(normalized(message));
	const seen = `_output:_ \`${normalized(JSON.stringify(output))}\``;
	return seen === usual ? '_the usual output_' : seen;
}

/** What the user sees when nothing goes wrong, unless it is about that very row. */
export const usualOutput = (page: Page, { scenario, condition }: Cell): string | undefined =>
	condition === NOTHING ? undefined : page.get(rowName({ scenario, condition: NOTHING }))?.seen;

/** Reads a page that was written before. */
export function parsePage(markdown: string): Page {
	const texts = new Map(
		[...markdown.matchAll(DESCRIPTION)].map(([, key, text = '']) => [key, text]),
	);
	const page: Page = new Map();
	let title = '';
	for (const line of markdown.split('\n')) {
		if (line.startsWith('## ')) title = line.slice(3);
		const [condition, cell = '', ...outcomes] = line.startsWith('| ') ? cellsOf(line) : [];
		const [, seen = cell, key] = /^(.*) \[(\d+)\]$/.exec(cell) ?? [];
		const advice = texts.get(key) ?? '';
		if (condition !== undefined) page.set(`${title}: ${condition}`, { seen, advice, outcomes });
	}
	return page;
}

/** Writes what was observed over what the page says. */
export function withObserved(before: Page, observed: ObservedCell[]): Page {
	const page: Page = new Map(before);
	for (const { observation, ...cell } of observed) {
		const row = { seen: '', advice: '', ...page.get(rowName(cell)) };
		const outcomes = [...(row.outcomes ?? [])];
		outcomes[columnOf(cell)] = outcomeText(observation);
		const words = {
			seen: seenText(observation, usualOutput(page, cell)),
			advice: adviceOf(observation),
		};
		const own = cell.setting === 'continueErrorOutput' ? words : {};
		page.set(rowName(cell), { ...row, ...own, outcomes });
	}
	return page;
}

function section(scenario: Scenario, page: Page, numberOf: (advice: string) => number): string {
	const lines = CONDITION_GROUPS.flatMap(({ title, conditions }) => {
		const rows = conditions.flatMap((condition) => {
			const { seen = '', advice = '', outcomes } = page.get(rowName({ scenario, condition })) ?? {};
			if (outcomes === undefined) return [];
			const words = advice === '' ? seen : `${seen} [${numberOf(advice)}]`;
			return [tableRow([condition.name, words, ...outcomes])];
		});
		return rows.length === 0 ? [] : [`| **${title}** | | | | |`, ...rows];
	});
	const about = `The condition affects ${scenario.hit}.`;
	return [`## ${scenario.title}`, '', about, '', table(HEAD, []), ...lines, ''].join('\n');
}

/** The page as Markdown, with the descriptions that its lines refer to. */
export function render(page: Page): string {
	const all: string[] = [];
	const numberOf = (advice: string) =>
		all.includes(advice) ? all.indexOf(advice) + 1 : all.push(advice);
	const sections = SCENARIOS.map((scenario) => section(scenario, page, numberOf));
	const descriptions = all.map((advice, index) => `${index + 1}. ${advice}`);
	return [INTRODUCTION, ...sections, '## Descriptions\n', ...descriptions, ''].join('\n');
}
