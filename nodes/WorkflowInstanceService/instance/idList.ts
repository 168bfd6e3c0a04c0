import { type INodeProperties, isExpression } from 'n8n-workflow';

import { assertNoDryRunAsked, type NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { parseIdList, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { UserFacingError } from '../values/userFacingError';
import { errorItem, errorMessageIn } from './errorItems';
import { emptyId } from './rowIds';

const ENTER_IDS = 'Enter IDs separated by commas, e.g. 12, 15.';
const NOTHING_TO_PROCESS =
	' You can also filter out items without IDs. If there is nothing to process, have the expression return an empty list, [].';

/** The parameter for several instances. */
export function idListForm(
	own: Pick<INodeProperties, 'builderHint' | 'description' | 'hint'>,
): INodeProperties {
	return {
		displayName: 'Instance IDs',
		name: 'instanceIds',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 12, 15, 18',
		...own,
	};
}

/** The IDs in a parameter for several, and whether the user typed them in, which makes the list unambiguous. */
export function readIdList(
	form: INodeProperties,
	parameters: ItemParameters,
	{ baseUrl, isTool = false }: { baseUrl: string; isTool?: boolean },
) {
	const areTyped = !isExpression(parameters.entered(form));
	const place = `'${form.displayName}'`;
	const ids = parseIdList(parameters.get(form), place, baseUrl, areTyped);
	if (ids !== undefined) return { ids, areTyped };
	if (areTyped || isTool) throw new UserFacingError(`${place} is empty`, ENTER_IDS);
	throw emptyId(place, parameters, NOTHING_TO_PROCESS);
}

/** Throws UserFacingError about items that contain the ID of an instance, but that nobody means to delete. */
export function assertDeletable(
	input: Pick<ItemParameters, 'json'>,
	execution: Pick<NodeExecution, 'isDryRun' | 'isTool'>,
): void {
	assertNoDryRunAsked(input, execution);
	const values = asObject(input.json);
	const { details, dryRun, eventId } = values;
	// In a test of the whole workflow, the trigger returns samples, whose instances are real and may be running.
	if (!execution.isDryRun && /^\d+-\w+-sample$/.test(String(eventId))) {
		throw new UserFacingError(
			'This item is a sample from a test of the trigger, and its instance is real',
			'To test the workflow, turn on Dry Run. Once published, the workflow gets real events.',
		);
	}
	// What failed before an agent started is not about the IDs that its model chooses.
	if (execution.isTool) return;
	// A dry run also lists instances that it could not read.
	const key = dryRun === true ? 'message' : 'error';
	const { [key]: problem } = values;
	// On the error output, the ID is in the details. There, the user means to process what failed.
	const { id, item } = asObject(details);
	const hasFailed = dryRun === true || (typeof item === 'number' && id === undefined);
	if (typeof problem === 'string' && hasFailed) throw errorItem(problem, key, plainId(values.id));
}

/** Throws UserFacingError about items that other nodes return for failures under Continue: `error` and nothing else. */
export function assertNotFailed(
	form: INodeProperties,
	{ entered, json }: Pick<ItemParameters, 'entered' | 'json'>,
	ids: readonly number[],
): void {
	if (ids.length === 0 || !isExpression(entered(form))) return;
	const message = errorMessageIn(json);
	if (typeof message === 'string' && Object.keys(asObject(json)).length === 1)
		throw errorItem(message, 'error', ids.length === 1 ? ids[0] : undefined);
}
