import type { INodeProperties } from 'n8n-workflow';

import { bulkDeleteOption } from './bulkDelete';
import { bulkDeleteFields } from './bulkDelete/form';
import { instanceId, shownFor } from './fields';
import { getFields, getOption } from './get';
import { outputFields } from './output';
import { updateOption } from './update';
import { updateFields, updateOptions } from './update/form';

/** Everything that the node offers for instances. */
export const instanceProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['instance'] } },
		options: [getOption, updateOption, bulkDeleteOption],
		default: 'get',
	},
	...shownFor(['get', 'update'], [instanceId]),
	...updateFields,
	...shownFor(['get', 'update'], outputFields),
	...updateOptions,
	...getFields,
	...bulkDeleteFields,
];
