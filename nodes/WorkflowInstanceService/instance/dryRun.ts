import type { INodeProperties } from 'n8n-workflow';

import { type Parameters, switchOption } from '../n8n/parameters';

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to only list what would be changed or deleted, without changing or deleting anything',
	builderHint: {
		propertyHint:
			'Set to true to only list what would be changed or deleted, false to change or delete it.',
	},
};

export const dryRunNotice: INodeProperties = {
	displayName:
		'Dry Run is on, so nothing is changed or deleted. The output lists what would be. To do it, turn off Dry Run.',
	name: 'dryRunNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [true] } },
};

/** Whether nothing may be written. */
export function isDryRun(parameters: Pick<Parameters, 'get'>): boolean {
	return switchOption({ dryRun: parameters.get(dryRun) }, dryRun);
}
