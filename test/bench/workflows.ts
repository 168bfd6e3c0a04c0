import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	type CredentialReference,
	newWorkflow,
	type Workflow,
	workflowNode,
} from '../../sandbox/n8n/workflow-file';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';

/** A node whose time is measured. */
export interface MeasuredNode {
	type: string;
	typeVersion: number;
	parameters: INodeParameters;
	credential: CredentialReference;
}

const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };

/** This package's node. */
export function ourNode(parameters: INodeParameters, credential: CredentialReference) {
	const measured: MeasuredNode = {
		type: NODE_TYPE,
		typeVersion: 1,
		parameters: { resource: 'instance', ...parameters },
		credential,
	};
	return measured;
}

/** The parameters of Get; without an id, that of each item. */
export const getParameters = (id?: number, bound?: number): INodeParameters => ({
	operation: 'get',
	instanceId: id === undefined ? ID : { ...ID, value: String(id) },
	output: 'raw',
	options: bound === undefined ? {} : { maxConcurrentRequests: bound },
});

const process = String(SEED.processes.onboarding);

/** The parameters of Update, which gives every item a name of its own. */
export const updateParameters = (unsetFields: 'keep' | 'reset'): INodeParameters => ({
	operation: 'update',
	instanceId: ID,
	unsetFields,
	process: { ...ID, value: unsetFields === 'reset' ? process : '' },
	updateFields: { name: "={{ 'Renamed ' + $json.id }}" },
	output: 'raw',
});

/** The parameters of Bulk Delete. */
export const deleteFromField = (idField: string): INodeParameters => ({
	operation: 'bulkDelete',
	idSource: 'inputField',
	idField,
});
export const deleteFromExpression: INodeParameters = {
	operation: 'bulkDelete',
	idSource: 'list',
	instanceIds: '={{ $json.ids }}',
};

/** n8n's HTTP Request node, signed by the credential that is given. */
export function httpNode(
	typeVersion: number,
	parameters: INodeParameters,
	credential: CredentialReference,
): MeasuredNode {
	const authentication: INodeParameters =
		credential.type === CREDENTIAL_TYPE
			? { authentication: 'predefinedCredentialType', nodeCredentialType: CREDENTIAL_TYPE }
			: { authentication: 'genericCredentialType', genericAuthType: credential.type };
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion,
		parameters: { ...authentication, ...parameters, options: {} },
		credential,
	};
}

const json = (method: string, url: string, jsonBody: string): INodeParameters => ({
	method,
	url,
	sendBody: true,
	specifyBody: 'json',
	jsonBody,
});

/** The HTTP Request that reads; without an id, that of each item. */
export const httpGet = (baseUrl: string, id?: number): INodeParameters => ({
	url: id === undefined ? `=${baseUrl}/instances/{{ $json.id }}/` : `${baseUrl}/instances/${id}/`,
});

/** The HTTP Request that sends nothing but process and name, as Reset does. */
export const httpReset = (baseUrl: string): INodeParameters =>
	json(
		'PUT',
		`=${baseUrl}/instances/{{ $json.id }}/`,
		`={{ { process: '${baseUrl}/processes/${process}/', name: 'Renamed ' + $json.id } }}`,
	);

/** The HTTP Request that sends back what an earlier one has read, with another name. */
export const httpKeep = (baseUrl: string): INodeParameters =>
	json(
		'PUT',
		`=${baseUrl}/instances/{{ $json.id }}/`,
		"={{ { process: $json.process, name: 'Renamed ' + $json.id, deadline: $json.deadline, tags: $json.tags, step_assignments: $json.step_assignments, ...($json.priority ? { priority: $json.priority } : {}) } }}",
	);

/** The HTTP Request that deletes the one instance of each item. */
export const httpDelete = (baseUrl: string): INodeParameters =>
	json('POST', `${baseUrl}/instances/bulk/delete`, '={{ { ids: [$json.id] } }}');

/** The names of the measured nodes, in their order. */
export const measuredName = (index: number): string => `Measured ${index + 1}`;

/**
 * Start → the measured nodes, one behind the other.
 *
 * @param items the `json` of the items that Start gives
 */
export function workflowOf(items: IDataObject[], measured: MeasuredNode[]): Workflow {
	const start = 'Start';
	const nodes = measured.map(({ type, typeVersion, parameters, credential }, index) => ({
		...workflowNode(measuredName(index), type, typeVersion, parameters),
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	}));
	const links = nodes.map(({ name }, index) => ({
		from: nodes[index - 1]?.name ?? start,
		to: name,
	}));
	const trigger = workflowNode(start, 'n8n-nodes-base.manualTrigger', 1, {});
	return {
		...newWorkflow('Benchmark', [trigger, ...nodes], links),
		pinData: { [start]: items.map((json) => ({ json })) },
	};
}
