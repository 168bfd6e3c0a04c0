import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	type CredentialReference,
	newWorkflow,
	type Workflow,
	workflowNode,
} from '../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { planOf } from '../../sandbox/service/data/seedPlan';

/** A node whose time is measured. */
export interface MeasuredNode {
	type: string;
	typeVersion: number;
	parameters: INodeParameters;
}

const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const NAME = "'Renamed ' + $json.id";
const process = String(SEED.processes.onboarding);

/** This package's node. */
export const ourNode = (parameters: INodeParameters): MeasuredNode => ({
	type: NODE_TYPE,
	typeVersion: 1,
	parameters: { resource: 'instance', ...parameters },
});

/** The parameters of Get; without an id, that of each item. */
export const getParameters = (id?: number): INodeParameters => ({
	operation: 'get',
	instanceId: id === undefined ? ID : { ...ID, value: String(id) },
	output: 'raw',
});

/** The parameters of Update, which gives every item a name of its own. */
export const updateParameters = (unsetFields: 'keep' | 'reset'): INodeParameters => ({
	operation: 'update',
	instanceId: ID,
	unsetFields,
	process: { ...ID, value: unsetFields === 'reset' ? process : '' },
	updateFields: { name: `={{ ${NAME} }}` },
	output: 'raw',
});

/** Whether an added instance may be given a name: those of one process are named by the process. */
export const isRenamable = (id: number): boolean =>
	planOf(id, 'running').processId !== SEED.processes.purchaseRequest;

/** The parameters of Bulk Delete. */
export const deleteFromField: INodeParameters = {
	operation: 'bulkDelete',
	idSource: 'inputField',
	idField: 'id',
};
export const deleteFromExpression: INodeParameters = {
	operation: 'bulkDelete',
	idSource: 'list',
	instanceIds: '={{ $json.ids }}',
};

/** n8n's HTTP Request node, signed by the credential of this package. */
export const httpNode = (typeVersion: number, parameters: INodeParameters): MeasuredNode => ({
	type: 'n8n-nodes-base.httpRequest',
	typeVersion,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL_TYPE,
		...parameters,
		options: {},
	},
});

/** The HTTP Request that reads; without an id, that of each item. */
export const httpGet = (baseUrl: string, id?: number): INodeParameters => ({
	url: id === undefined ? `=${baseUrl}/instances/{{ $json.id }}/` : `${baseUrl}/instances/${id}/`,
});

/** The HTTP Request that sends nothing but process and name, as Reset does. */
export const httpPut = (baseUrl: string): INodeParameters => ({
	method: 'PUT',
	url: `=${baseUrl}/instances/{{ $json.id }}/`,
	sendBody: true,
	specifyBody: 'json',
	jsonBody: `={{ { process: '${baseUrl}/processes/${process}/', name: ${NAME} } }}`,
});

/** The name of the measured node. */
export const MEASURED = 'Measured';

/**
 * Start → the measured node.
 *
 * @param items the `json` of the items that Start gives
 */
export function workflowOf(
	items: IDataObject[],
	{ type, typeVersion, parameters }: MeasuredNode,
	{ type: credentialType, id, name }: CredentialReference,
): Workflow {
	const start = workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {});
	const measured = {
		...workflowNode(MEASURED, type, typeVersion, parameters),
		credentials: { [credentialType]: { id, name } },
	};
	return {
		...newWorkflow('Benchmark', [start, measured], [{ from: start.name, to: MEASURED }]),
		pinData: { [start.name]: items.map((json) => ({ json })) },
	};
}
