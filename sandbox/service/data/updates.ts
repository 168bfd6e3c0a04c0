import type { FieldMessages } from '../interface/fieldMessages';
import type { SettableProperties, SettableValues } from '../interface/instance';
import { automaticName, findProcess } from './processes';

/** Either the values to store, or why they're rejected. */
export type ReadUpdate =
	| { processId: number; settable: SettableValues }
	| { messages: FieldMessages };

/**
 * Reads the body of an update that follows the description. Refuses what only the service can
 * know: a process that does not exist, and a name where the process names its instances.
 */
export function readUpdate(
	{ process: uri, ...settable }: SettableProperties,
	instanceId: number,
): ReadUpdate {
	const processId = Number(/(\d+)\/$/.exec(uri)?.[1]);
	const process = findProcess(processId);
	if (!process) {
		return { messages: { process: ['Invalid hyperlink. There is no such workflow.'] } };
	}
	if (!process.automaticNaming) return { processId, settable };
	if (settable.name) {
		const message = 'The workflow has automatic naming enabled. Leave the name empty, null or out.';
		return { messages: { name: [message] } };
	}
	const name = automaticName(process, instanceId, settable.deadline);
	return { processId, settable: { ...settable, name } };
}
