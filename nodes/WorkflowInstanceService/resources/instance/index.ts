import type { INodeProperties } from 'n8n-workflow';

import { bulkDeleteOption } from './bulkDelete';
import { bulkDeleteForm } from './bulkDelete/form';
import { instanceId, shownFor } from './fields';
import { getForm, getOption } from './get';
import { outputForm } from './output';
import { updateOption } from './update';
import { updateForm, updateOptions } from './update/form';

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
	...updateForm,
	...shownFor(['get', 'update'], outputForm),
	...updateOptions,
	...getForm,
	...bulkDeleteForm,
];
