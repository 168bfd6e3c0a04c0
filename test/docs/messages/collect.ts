import { UserFacingError } from '../../../nodes/WorkflowInstanceService/values/userFacingError';
import { createSandbox } from '../../../sandbox/service';
import { runNode } from '../../harness';
import { type Refusal, REFUSALS } from './refusals';

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

/** Lets the node refuse everything in `REFUSALS`, in n8n's engine. */
export async function collectRefusals(): Promise<MessageGroup[]> {
	const sandbox = await createSandbox();
	const said = async ({ parameters, items = [{ id: 101 }], fault, credentials }: Refusal) => {
		sandbox.control.reset();
		if (fault !== undefined) sandbox.control.addFault({ action: fault });
		const { error } = await runNode({
			parameters,
			items,
			credentials: credentials ?? { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey },
		});
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
		return groups;
	} finally {
		await sandbox.close();
	}
}
