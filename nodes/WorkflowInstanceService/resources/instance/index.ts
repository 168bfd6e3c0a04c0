import type { INodeProperties } from 'n8n-workflow';

import { getFields, getOption } from './get';

/** Everything that the node offers for instances. */
export const instanceProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['instance'] } },
		options: [getOption],
		default: 'get',
	},
	...getFields,
];
