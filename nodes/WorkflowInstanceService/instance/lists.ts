import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';

import { isExpression } from '../n8n/expressions';
import { type Form, listSearch, type ListSearch } from '../n8n/listSearch';
import { chosenIn, idFromUri, parseLocator, plainId } from '../values/ids';
import { processNameIn, stepsIn } from '../values/processSnapshot';
import { returnedAssignment, type StepAssignment } from '../values/stepAssignments';
import { shortened, UserFacingError } from '../values/userFacingError';
import { INSTANCE, instanceId, PROCESS } from './locators';
import { readInstance } from './readInstance';

const LONGEST_LIST_OF_STEPS = 60;

function assignmentsOf({ step_assignments: assignments }: IDataObject): StepAssignment[] {
	return [assignments].flat().flatMap((entry) => returnedAssignment(entry) ?? []);
}

function stepLabels({ process_snapshot: snapshot }: IDataObject): (id: number) => string {
	const names = stepsIn(snapshot);
	const seen = new Set<string>();
	const repeated = new Set<string>();
	for (const name of names.values()) (seen.has(name) ? repeated : seen).add(name);
	return (id) => {
		const name = names.get(id) ?? `Step ${id}`;
		return repeated.has(name) ? `${name} (${id})` : name;
	};
}

/** The active steps first, then those that somebody is assigned to, then the others of the snapshot. */
function stepChoices(instance: IDataObject): INodeListSearchItems[] {
	const label = stepLabels(instance);
	const active = new Set([instance.active_step_ids].flat().flatMap((id) => plainId(id) ?? []));
	const assigned = assignmentsOf(instance).map(({ step_id }) => step_id);
	const shown = stepsIn(instance.process_snapshot).keys();
	return [...new Set([...active, ...assigned, ...shown])].map((id) => ({
		name: active.has(id) ? `${label(id)} (active)` : label(id),
		value: String(id),
	}));
}

/** The users who are assigned, each with their steps: the service shows no names. */
function userChoices(instance: IDataObject): INodeListSearchItems[] {
	const label = stepLabels(instance);
	const stepsOf = new Map<number, string[]>();
	for (const { step_id, user_id } of assignmentsOf(instance)) {
		const steps = stepsOf.get(user_id) ?? [];
		steps.push(label(step_id));
		stepsOf.set(user_id, steps);
	}
	return [...stepsOf].map(([user, steps]) => ({
		name: `User ${user} (${shortened(steps.join(', '), LONGEST_LIST_OF_STEPS)})`,
		value: String(user),
	}));
}

/** The process of the instance, the only one that the service tells of. */
function processChoices(instance: IDataObject): INodeListSearchItems[] {
	const id = idFromUri(instance.process, PROCESS.segment);
	if (id === undefined) return [];
	const name = processNameIn(instance.process_snapshot, id) ?? `Process ${id}`;
	return [{ name, value: String(id) }];
}

function chosenInstance(form: Form, baseUrl: string): number {
	const chosen = form.get(instanceId);
	const value = chosenIn(chosen);
	// The editor sends null for an expression without data, other programs its text.
	const isOpen = value === null || isExpression(value);
	if (value !== '' && !isOpen) return parseLocator(chosen, INSTANCE, baseUrl);
	throw new UserFacingError(
		isOpen ? "The expression in 'Instance' has no value yet" : "'Instance' is empty",
		`${isOpen ? 'Execute the previous nodes' : 'Enter the instance'} to load this list, or set this field to By ID.`,
	);
}

/** @param whenEmpty the beginning of the message for an empty list, before `instance 7` */
function listOf(
	choices: (instance: IDataObject) => INodeListSearchItems[],
	whenEmpty: string,
): ListSearch {
	return listSearch(async (form, service) => {
		const id = chosenInstance(form, service.baseUrl);
		const { instance } = await readInstance(service, id);
		const items = choices(instance);
		if (items.length > 0) return items;
		// Older versions of n8n show only the message, newer ones both.
		throw new UserFacingError(`${whenEmpty} instance ${id}. To enter an ID, choose By ID.`, '');
	});
}

/** The lists of the form: n8n calls one when it is opened, and again for each search. */
export const instanceLists = {
	searchProcesses: listOf(processChoices, "The service didn't return the process of"),
	searchSteps: listOf(stepChoices, 'No steps found in'),
	searchUsers: listOf(userChoices, 'Nobody is assigned in'),
};
