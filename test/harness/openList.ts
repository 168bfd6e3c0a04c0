import { LoadOptionsContext } from 'n8n-core';
import type { INodeListSearchItems, INodeParameters } from 'n8n-workflow';
import { NODE_TYPE } from '../../sandbox/names';
import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { createWorkflow } from './execute';
import { types } from './typeRegistry';
import { node } from './workflow';

/** Opens a list in the node's form as n8n does (dynamic-node-parameters.service.js of the package n8n). */
export async function openList(
	method: string,
	parameters: INodeParameters,
	credentials: CredentialData,
	filter?: string,
): Promise<INodeListSearchItems[]> {
	const form = node('Temp-Node', NODE_TYPE, parameters);
	const definition = { nodes: [form], connections: {} };
	const workflow = await createWorkflow(definition);
	const search = types.getByNameAndVersion(NODE_TYPE).methods?.listSearch?.[method];
	const own = workflow.getNode(form.name);
	if (search === undefined || own === null) throw new Error(`There is no list '${method}'.`);
	const data = {
		...additionalData(definition, 'internal', credentials),
		currentNodeParameters: own.parameters,
	};
	const context = new LoadOptionsContext(workflow, own, data, 'parameters');
	return (await search.call(context, filter)).results;
}
