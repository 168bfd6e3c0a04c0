import { NodeApiError, type INodeParameters, sleep, type WorkflowExecuteMode } from 'n8n-workflow';

import { UserFacingError } from '../../../nodes/WorkflowInstanceService/values/userFacingError';
import { createSandbox } from '../../../sandbox/service';
import { createTrigger, openList, runNode } from '../../harness';
import { type Refusal, REFUSALS } from './refusals';

/** What the user sees: what happened, and what to do, which is empty when it is part of the message. */
export interface Message {
	message: string;
	advice: string;
}

/** Messages that belong together. */
export interface MessageGroup {
	title: string;
	messages: Message[];
}

const MANY = Array.from({ length: 501 }, (_, index) => index + 1).join();

/** What makes the trigger say something of its own, and when it is polled. */
const TRIGGER_REFUSALS: Array<[INodeParameters, WorkflowExecuteMode?]> = [
	[{ instanceIds: '' }],
	[{ instanceIds: MANY }],
	[{ instanceIds: '={{ $vars.nothing }}' }],
	[{ instanceIds: '={{ [] }}' }, 'manual'],
	[{ instanceIds: '999999' }, 'manual'],
	[{ instanceIds: '101', events: [] }],
];

/** The ID in the form when a list cannot be shown; null for an expression without data. */
const LIST_REFUSALS = ['', null, '999999'];

/** What n8n shows of an error. */
export const asMessage = (error: { message: string; description?: string | null }): Message => ({
	message: error.message,
	advice: error.description ?? '',
});

/** What an act throws, as the user sees it. */
async function thrownBy(act: () => unknown): Promise<Message> {
	try {
		await act();
	} catch (cause) {
		if (cause instanceof UserFacingError || cause instanceof NodeApiError) return asMessage(cause);
		throw cause;
	}
	throw new Error(`Nothing was said by ${act.toString()}`);
}

/** Lets the node refuse everything in `REFUSALS`, and the trigger what it refuses, in n8n's engine. */
export async function collectRefusals(): Promise<MessageGroup[]> {
	const { baseUrl, apiKey, control, close } = await createSandbox();
	const ofSandbox = { baseUrl, apiKey };
	/** Begins another run, and waits until its first request was sent. */
	const begin = async (parameters: INodeParameters) => {
		const stop = new AbortController();
		const running = runNode({ parameters, credentials: ofSandbox, signal: stop.signal });
		while (control.log().length === 0) await sleep(20);
		return async () => {
			stop.abort();
			await running;
		};
	};
	const said = async ({ parameters, fault, meanwhile, ...refusal }: Refusal) => {
		const { items = [{ id: 101 }], credentials = ofSandbox } = refusal;
		control.reset();
		if (fault !== undefined) control.addFault({ action: fault });
		const end = meanwhile && (await begin(meanwhile));
		const { error } = await runNode({ parameters, items, credentials });
		await end?.();
		if (error === undefined) throw new Error(`Nothing was said: ${JSON.stringify(parameters)}`);
		return asMessage(error);
	};
	const ofTrigger = TRIGGER_REFUSALS.map(([parameters, mode]) => async () => {
		const trigger = await createTrigger({ parameters, credentials: ofSandbox });
		await trigger.poll(mode);
	});
	const ofLists = LIST_REFUSALS.map((value) => async () => {
		const instanceId = { __rl: true, mode: 'id', value };
		await openList('searchSteps', { operation: 'update', instanceId }, { credentials: ofSandbox });
	});
	const all = { ...REFUSALS, 'The lists in the form': ofLists, Trigger: ofTrigger };
	const groups: MessageGroup[] = [];
	try {
		for (const [title, refusals] of Object.entries(all)) {
			const messages: Message[] = [];
			for (const refusal of refusals) {
				messages.push(await (typeof refusal === 'function' ? thrownBy(refusal) : said(refusal)));
			}
			groups.push({ title, messages });
		}
		return groups;
	} finally {
		await close();
	}
}
