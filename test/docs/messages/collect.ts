import { type INodeParameters, sleep } from 'n8n-workflow';

import { UserFacingError } from '../../../nodes/WorkflowInstanceService/values/userFacingError';
import { createSandbox } from '../../../sandbox/service';
import { runNode } from '../../harness';
import { type Refusal, REFUSALS } from './refusals';
import { collectTrigger } from './trigger';

/** What the user sees. */
export interface Message {
	/** What happened. */
	message: string;
	/** What to do; empty when it is part of the message. */
	advice: string;
}

/** Messages that belong together. */
export interface MessageGroup {
	title: string;
	messages: Message[];
}

function thrownBy(act: () => void): Message {
	try {
		act();
	} catch (cause) {
		if (cause instanceof UserFacingError)
			return { message: cause.message, advice: cause.description };
		throw cause;
	}
	throw new Error(`Nothing was said by ${act.toString()}`);
}

/** Lets the node refuse everything in `REFUSALS`, and the trigger what it refuses, in n8n's engine. */
export async function collectRefusals(): Promise<MessageGroup[]> {
	const sandbox = await createSandbox();
	const ofSandbox = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
	/** Begins another run, and waits until its first request was sent. */
	const begin = async (parameters: INodeParameters) => {
		const stop = new AbortController();
		const running = runNode({ parameters, credentials: ofSandbox, signal: stop.signal });
		while (sandbox.control.log().length === 0) await sleep(20);
		return async () => {
			stop.abort();
			await running;
		};
	};
	const said = async ({ parameters, fault, meanwhile, ...refusal }: Refusal) => {
		const { items = [{ id: 101 }], credentials = ofSandbox } = refusal;
		sandbox.control.reset();
		if (fault !== undefined) sandbox.control.addFault({ action: fault });
		const end = meanwhile && (await begin(meanwhile));
		const { error } = await runNode({ parameters, items, credentials });
		await end?.();
		if (error === undefined) throw new Error(`Nothing was said: ${JSON.stringify(parameters)}`);
		const { message, description = '' } = error;
		return { message, advice: description.replace(/ \(item \d+\)$/, '') };
	};
	try {
		const groups: MessageGroup[] = [];
		for (const { title, refusals, withoutForm = [] } of REFUSALS) {
			const messages: Message[] = [];
			for (const refusal of refusals) messages.push(await said(refusal));
			groups.push({ title, messages: [...messages, ...withoutForm.map(thrownBy)] });
		}
		return [...groups, await collectTrigger(ofSandbox)];
	} finally {
		await sandbox.close();
	}
}
