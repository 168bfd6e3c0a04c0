import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CLEARABLE } from '../../nodes/WorkflowInstanceService/instance/update/changes';
import { nameField } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { SEED } from '../../sandbox/service';
import { DELETE, GET, locator } from '../../test/e2e/support/stack';

export interface Task {
	name: string;
	parameters: INodeParameters;
	instances: number;
	/** How long the service takes for each request. */
	latencyMs?: number;
	/** The `json` of the input items. Default: one item for each instance, with its `id`. */
	items?(ids: number[]): IDataObject[];
}

/** A task, next to something else that does the same. */
export interface Comparison extends Task {
	/** HTTP Request with these parameters, a known time, or else a bare client. */
	other: { name: string; http?: INodeParameters; time?: number };
	/** How many times as long as the other this node may take at most. */
	limit: number;
}

export const PORT = 8091;
const BASE_URL = `http://127.0.0.1:${PORT}/api`;
const ID = '{{ $json.id }}';
const NUMBER = '{{ Number($json.id) }}';
const NAME = "'Renamed ' + $json.id";
const PROCESS = SEED.processes.onboarding;

const get = (what: string, id: number | string): Task => ({
	name: `Get, ${what}`,
	parameters: { operation: 'get', instanceId: locator(id), output: 'raw' },
	instances: 1_000,
});
const update = (what: string, fields: INodeParameters, clearFields: string[]): Task => {
	const updateFields = { name: `={{ ${NAME} }}`, ...fields };
	const { parameters, instances } = get('', `=${ID}`);
	const changes = { operation: 'update', updateFields, clearFields };
	return { name: `Update, ${what}`, parameters: { ...parameters, ...changes }, instances };
};
const bulkDelete = (what: string, instanceIds: string): Task => ({
	name: `Bulk Delete, ${what}`,
	parameters: { operation: 'bulkDelete', instanceIds },
	instances: 10_000,
});
const http = (id: string, more: INodeParameters = {}) => {
	const url = `${id.includes('{{') ? '=' : ''}${BASE_URL}/instances/${id}/`;
	return { name: 'HTTP Request', http: { url, ...more } };
};
const PUT = http(ID, {
	method: 'PUT',
	sendBody: true,
	specifyBody: 'json',
	jsonBody: `={{ { process: '${BASE_URL}/processes/${PROCESS}/', name: ${NAME} } }}`,
});
const BARE_CLIENT = { name: 'Bare client' };
/** The time of 13 windows: 10, 20, 40 and 80 requests in flight, then 100. */
const RAMP = { name: 'Ramp from 10 to 100', time: 13 * 200 };

/** The process, which can't be cleared, and the name are set. */
const CLEARED = CLEARABLE.filter((field) => field !== nameField).map(({ form }) => form.name);
const byField = get('ID from a field', `=${ID}`);
const allFields = update('all fields', { process: locator(PROCESS) }, CLEARED);
const oneField = update('one field (with its read)', {}, []);
const deleteByField = bulkDelete('IDs from a field', `=${ID}`);
const deleteList = bulkDelete('IDs from one expression', '={{ $json.ids.map(Number) }}');

export const COMPARISONS: Comparison[] = [
	{ ...byField, other: http(ID), limit: 0.2 },
	{ ...get('ID from an expression', `=${NUMBER}`), other: http(NUMBER), limit: 0.35 },
	{ ...get('one ID', SEED.running), other: http(`${SEED.running}`), limit: 0.2 },
	{ ...byField, latencyMs: 20, other: http(ID), limit: 0.25 },
	{ ...byField, latencyMs: 200, other: RAMP, limit: 1.4 },
	{ ...allFields, other: PUT, limit: 0.35 },
	{ ...oneField, other: PUT, limit: 0.5 },
	{ ...deleteByField, other: BARE_CLIENT, limit: 8 },
	{ ...deleteList, items: (ids) => [{ ids }], other: BARE_CLIENT, limit: 4 },
];

const SIZES = [10_000, 50_000];

/** Run once each, with more and more instances, by an ID from a field. */
export const SIZED: Task[] = [
	...SIZES.map((instances) => ({ name: 'Get', parameters: GET, instances })),
	...SIZES.map((instances) => ({ name: 'Bulk Delete', parameters: DELETE, instances })),
];
