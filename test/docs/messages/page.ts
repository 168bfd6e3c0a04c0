import { table, tableRow } from '../table';
import type { MessageGroup } from './collect';

const INTRODUCTION = `# Messages

Every message of the node, the trigger and the credential: what happened, then what to do. \`npm run docs:messages\` writes
this page from the code, and tests make sure that it's complete.

n8n shows the first text as the message and the second one as its description. In error items, they're \`error\` and
\`details.description\`, with the number of the item in \`details.item\`. The ID of the instance is \`id\`, or \`details.id\` on
the error output. The reason that the service returns follows the status, such as
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

/** The whole page. */
export function messagesPage(groups: MessageGroup[]): string {
	return [INTRODUCTION, ...groups.map(section)].join('\n');
}
