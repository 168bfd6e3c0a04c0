import { type IDataObject, type INodeListSearchItems, isExpression } from 'n8n-workflow';

import { type Form, listSearch } from '../n8n/listSearch';
import { chosenIn, idFromUrl, INSTANCE, parseLocator, plainId, PROCESS } from '../values/ids';
import { processNameIn, returnedAssignments, stepNamesIn } from '../values/steps';
import { isEmpty, shortened } from '../values/text';
import { UserFacingError } from '../values/userFacingError';
import { instanceId } from './locators';
import { readInstance } from './responses';

const LONGEST_PART = 60;

/** Adds which instance a name is from, since an expression may return another one for each item. */
function fromInstance(name: string, instance: IDataObject): string {
	const source = isEmpty(instance.name) ? `instance ${String(instance.id)}` : String(instance.name);
	return `${name} · ${shortened(source, LONGEST_PART)}`;
}

function stepLabels(names: ReadonlyMap<number, string>): (id: number) => string {
	const all = [...names.values()].map((name) => shortened(name, LONGEST_PART));
	return (id) => {
		const name = shortened(names.get(id) ?? `Step ${id}`, LONGEST_PART);
		const isShared = names.has(id)
			? all.indexOf(name) !== all.lastIndexOf(name)
			: all.includes(name);
		return isShared ? `${name} (${id})` : name;
	};
}

/** The active steps first, then those that somebody is assigned to, then the others of the snapshot. */
function stepChoices(instance: IDataObject): INodeListSearchItems[] {
	const names = stepNamesIn(instance.process_snapshot);
	const label = stepLabels(names);
	const active = new Set([instance.active_step_ids].flat().flatMap((id) => plainId(id) ?? []));
	const assigned = returnedAssignments(instance.step_assignments).map(({ step_id }) => step_id);
	return [...new Set([...active, ...assigned, ...names.keys()])].map((id) => ({
		name: fromInstance(label(id) + (active.has(id) ? ' (active)' : ''), instance),
		value: String(id),
	}));
}

/** The assigned users, each with their steps, since the service doesn't return names. */
function userChoices(instance: IDataObject): INodeListSearchItems[] {
	const label = stepLabels(stepNamesIn(instance.process_snapshot));
	const assignments = returnedAssignments(instance.step_assignments);
	const users = new Set(assignments.map(({ user_id }) => user_id));
	return [...users].map((user) => {
		const own = assignments.filter(({ user_id }) => user_id === user);
		const steps = shortened(own.map(({ step_id }) => label(step_id)).join(', '), LONGEST_PART);
		return { name: fromInstance(`User ${user} (${steps})`, instance), value: String(user) };
	});
}

/** The process of the instance, the only one that the service returns. */
function processChoices(instance: IDataObject): INodeListSearchItems[] {
	const id = idFromUrl(instance.process, PROCESS);
	if (id === undefined) return [];
	const name = processNameIn(instance.process_snapshot, id) ?? `Process ${id}`;
	return [{ name, value: String(id) }];
}

function chosenInstance(form: Form, baseUrl: string): number {
	const locator = form.get(instanceId);
	const value = chosenIn(locator);
	// For an expression without data, the editor sends null or nothing, and other programs send its text.
	const isOpen = value === null || value === undefined || isExpression(value);
	if (value !== '' && !isOpen) return parseLocator(locator, INSTANCE, baseUrl);
	throw new UserFacingError(
		isOpen ? "The expression in 'Instance' has no value yet" : "'Instance' is empty",
		`${isOpen ? 'Execute the previous nodes' : 'Enter the instance'} to load this list, or choose By ID.`,
	);
}

/** @param whenEmpty the beginning of the message for an empty list, before `instance 7` */
function choiceList(choices: (instance: IDataObject) => INodeListSearchItems[], whenEmpty: string) {
	return listSearch(async (form, service, baseUrl) => {
		const id = chosenInstance(form, baseUrl);
		const instance = await readInstance(service, id);
		const items = choices({ ...instance, id });
		if (items.length > 0) return items;
		throw new UserFacingError(`${whenEmpty} instance ${id}`, 'To enter an ID, choose By ID.');
	});
}

/** The lists of the form: n8n calls one when it is opened, and again for each search. */
export const instanceLists = {
	searchProcesses: choiceList(processChoices, "The service didn't return the process of"),
	searchSteps: choiceList(stepChoices, 'No steps found in'),
	searchUsers: choiceList(userChoices, 'No users are assigned to steps in'),
};
