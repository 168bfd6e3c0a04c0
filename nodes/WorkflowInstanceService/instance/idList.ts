import { type INodeProperties, isExpression } from 'n8n-workflow';

import type { NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { parseIdList } from '../values/ids';
import { assertNotJoined, emptyId } from './idExpressions';

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
		// With several rows, a pasted column keeps its line breaks.
		typeOptions: { rows: 2 },
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
	{ baseUrl, isTool }: Pick<NodeExecution, 'baseUrl' | 'isTool'>,
) {
	assertNotJoined(form, parameters);
	const areTyped = !isExpression(parameters.entered(form));
	const ids = parseIdList(parameters.get(form), `'${form.displayName}'`, baseUrl, areTyped);
	if (ids !== undefined) return { ids, areTyped };
	throw emptyId(form, parameters, isTool, ENTER_IDS, NOTHING_TO_PROCESS);
}
