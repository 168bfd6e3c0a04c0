import '../harness/jest/environment';

import { collectResponses } from './messages/responses';
import { collectRefusals } from './messages/collect';
import { messagesPage } from './messages/page';
import { writePage } from './write';

/** Writes docs/messages.md from what the node says. */
async function main(): Promise<void> {
	const groups = [...(await collectRefusals()), ...(await collectResponses())];
	await writePage('messages.md', messagesPage(groups));
}

void main();
