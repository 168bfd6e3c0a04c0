import { NodeApiError, type INodeParameters, type WorkflowExecuteMode } from 'n8n-workflow';

import { createTrigger } from '../../harness';
import type { CredentialData } from '../../harness/credentialsHelper';
import type { Message, MessageGroup } from './collect';

const MANY = Array.from({ length: 501 }, (_, index) => index + 1).join();

/** What makes the trigger say something of its own, and when it is polled. */
const REFUSALS: Array<[INodeParameters, WorkflowExecuteMode?]> = [
	[{ instanceIds: '' }],
	[{ instanceIds: MANY }],
	[{ instanceIds: '={{ $vars.nothing }}' }],
	[{ instanceIds: '={{ [] }}' }, 'manual'],
	[{ instanceIds: '101', events: [] }],
];

/** Lets the trigger refuse everything that it alone can refuse, in n8n's poll context. */
export async function collectTrigger(credentials: CredentialData): Promise<MessageGroup> {
	const messages: Message[] = [];
	for (const [parameters, mode] of REFUSALS) {
		const trigger = await createTrigger({ parameters, credentials });
		const thrown: unknown = await trigger.poll(mode).catch((cause: unknown) => cause);
		if (!(thrown instanceof NodeApiError)) throw new Error(`Nothing was said: ${String(thrown)}`);
		messages.push({ message: thrown.message, advice: thrown.description ?? '' });
	}
	return { title: 'Trigger', messages };
}
