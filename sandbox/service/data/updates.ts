import { isRecord } from '../../guards';
import { automaticName, findProcess } from './processes';
import type { SettableProperties } from './store';
import type { FieldMessages } from '../interface/fieldMessages';
import type { Priority, StepAssignment } from '../interface/instance';

/** Either the properties to be stored, or why they are refused. */
export type ReadUpdate = { properties: SettableProperties } | { messages: FieldMessages };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const priorityOf = (value: unknown): Priority => (value === 'V' || value === 'H' ? value : null);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function assignmentsOf(value: unknown): StepAssignment[] {
	return listOf(value)
		.filter(isRecord)
		.map((entry) => ({ step_id: Number(entry.step_id), user_id: Number(entry.user_id) }));
}

/**
 * Reads the body of an update that follows the description: a property left out takes its
 * default. Refuses what only the service can know: a process that does not exist, and a name
 * where the process names its instances.
 */
export function readUpdate(body: unknown, instanceId: number): ReadUpdate {
	const update = isRecord(body) ? body : {};
	const processId = Number(/(\d+)\/$/.exec(String(update.process))?.[1]);
	const process = findProcess(processId);
	if (!process) {
		return { messages: { process: ['Invalid hyperlink. There is no such workflow.'] } };
	}
	const name = update.name === undefined ? '' : textOrNull(update.name);
	if (process.automaticNaming && name) {
		const message = 'The workflow has automatic naming enabled. Leave the name empty, null or out.';
		return { messages: { name: [message] } };
	}
	const deadline = textOrNull(update.deadline);
	return {
		properties: {
			processId,
			name: process.automaticNaming ? automaticName(process, instanceId, deadline) : name,
			deadline,
			priority: priorityOf(update.priority),
			tags: listOf(update.tags).map(String),
			stepAssignments: assignmentsOf(update.step_assignments),
		},
	};
}

/** Reads the ids of a bulk delete that follows the description. */
export function readIds(body: unknown): number[] {
	return isRecord(body) ? listOf(body.ids).map(Number) : [];
}
