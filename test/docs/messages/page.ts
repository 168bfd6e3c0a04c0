import { table, tableRow } from '../table';
import type { MessageGroup } from './collect';

const INTRODUCTION = `# Messages

Everything that the node and its credential can say: what happened, then what to do. \`npm run docs:messages\` makes
this page again, from the node itself; a test checks every message, and that none is missing.

n8n shows the first text as the message and the second below it, and marks the item. In error items they are \`error\`
and \`details.description\`; \`details.item\` is the number of the item, and \`id\` the ID of the instance, on the error
output as \`details.id\`. What a service says stands after the status, as in
_name: Too long; tags: Not a list._
`;

function inCell(text: string): string {
	return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function section({ title, messages }: MessageGroup): string {
	const isWhole = messages.every(({ advice }) => advice === '');
	const lines = messages.map(({ message, advice }) =>
		isWhole ? `- ${inCell(message)}` : tableRow([inCell(message), inCell(advice)]),
	);
	const head = isWhole ? [] : [table(['What happened', 'What to do'], [])];
	return [`## ${title}`, '', ...head, ...new Set(lines), ''].join('\n');
}

/** The page, not yet laid out by prettier. */
export function messagesPage(groups: MessageGroup[]): string {
	return [INTRODUCTION, ...groups.map(section)].join('\n');
}

/** A page without what prettier adds, for comparisons. */
export function unlaid(page: string): string[] {
	return page
		.split('\n')
		.map((each) => each.replace(/-{3,}/g, '---').replace(/\s+/g, ' ').trim())
		.filter(Boolean);
}
