import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';

/** What the node is measured at. */
export interface Task {
	parameters: INodeParameters;
	/** The `json` of the input items, for the ids that the task is about. */
	items(ids: number[]): IDataObject[];
	/** What n8n's HTTP Request node needs for the same. */
	http?(baseUrl: string): INodeParameters;
}

const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const NAME = "'Renamed ' + $json.id";
const process = String(SEED.processes.onboarding);
const each = (ids: number[]) => ids.map((id) => ({ id }));
const get = { resource: 'instance', operation: 'get', output: 'raw' };

/** Gives every item a name of its own; the HTTP Request sends process and name, as Reset does. */
const update = (unsetFields: 'keep' | 'reset'): Task => ({
	parameters: {
		...get,
		operation: 'update',
		instanceId: ID,
		options: { unsetFields },
		updateFields: {
			name: `={{ ${NAME} }}`,
			...(unsetFields === 'reset' && { process: { ...ID, value: process } }),
		},
	},
	items: each,
	http: (baseUrl) => ({
		method: 'PUT',
		url: `=${baseUrl}/instances/{{ $json.id }}/`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { process: '${baseUrl}/processes/${process}/', name: ${NAME} } }}`,
	}),
});

const bulkDelete = { resource: 'instance', operation: 'bulkDelete' };

export const TASKS = {
	get: {
		parameters: { ...get, instanceId: ID },
		items: each,
		http: (baseUrl) => ({ url: `=${baseUrl}/instances/{{ $json.id }}/` }),
	},
	getEvaluated: {
		parameters: { ...get, instanceId: { ...ID, value: '={{ Number($json.id) }}' } },
		items: each,
		http: (baseUrl) => ({ url: `=${baseUrl}/instances/{{ Number($json.id) }}/` }),
	},
	getSimplified: { parameters: { ...get, instanceId: ID, output: 'simplified' }, items: each },
	getOne: {
		parameters: { ...get, instanceId: { ...ID, value: String(SEED.running) } },
		items: each,
		http: (baseUrl) => ({ url: `${baseUrl}/instances/${SEED.running}/` }),
	},
	reset: update('reset'),
	keep: update('keep'),
	deleteField: {
		parameters: { ...bulkDelete, idSource: 'inputField', idField: 'id' },
		items: each,
	},
	deleteList: {
		parameters: { ...bulkDelete, idSource: 'list', instanceIds: '={{ $json.ids }}' },
		items: (ids) => [{ ids }],
	},
} satisfies Record<string, Task>;
