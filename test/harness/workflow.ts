import type { IConnections, INode, INodeParameters, IPinData } from 'n8n-workflow';

/** The part of an exported workflow JSON that shapes a run. */
export interface WorkflowDefinition {
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
}

export type NodeSettings = Partial<
	Pick<
		INode,
		'continueOnFail' | 'executeOnce' | 'maxTries' | 'onError' | 'retryOnFail' | 'waitBetweenTries'
	>
>;

export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	settings: NodeSettings = {},
): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], ...settings, parameters };
}
