import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';

import { type Form, listSearch, type ListSearch } from '../n8n/listSearch';
import { parseLocator } from '../values/ids';
import { asObject } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { processChoices, stepChoices, userChoices } from './choices';
import { INSTANCE, instanceId } from './locators';
import { readDatedInstance } from './readInstance';

/**
 * The instance that is chosen in the form.
 *
 * @throws UserFacingError when none is, or none that the editor can know yet
 */
function chosenInstance(form: Form): number {
	const chosen = form.get(instanceId);
	const { value } = asObject(chosen);
	if (value === '') {
		throw new UserFacingError(
			"'Instance' is empty",
			'Enter the instance to load this list, or set this field to By ID.',
		);
	}
	// The editor sends null for an expression without data, other programs its text.
	if (value === null || (typeof value === 'string' && value.startsWith('='))) {
		throw new UserFacingError(
			"The expression in 'Instance' has no value yet",
			'Execute the previous nodes to load this list, or set this field to By ID.',
		);
	}
	return parseLocator(chosen, INSTANCE);
}

function listOf(choices: (instance: IDataObject) => INodeListSearchItems[]): ListSearch {
	return listSearch(async (form, service) => {
		const { instance } = await readDatedInstance(service, chosenInstance(form));
		return choices(instance);
	});
}

/** The lists of the form: n8n calls one when it is opened, and again for each search. */
export const instanceLists = {
	searchProcesses: listOf(processChoices),
	searchSteps: listOf(stepChoices),
	searchUsers: listOf(userChoices),
};
