import { join } from 'node:path';
import { PackageDirectoryLoader, RoutingNode, type ExecuteContext } from 'n8n-core';
import {
	NodeConnectionTypes,
	NodeHelpers,
	type ICredentialType,
	type IDataObject,
	type INodeType,
	type INodeTypes,
} from 'n8n-workflow';
import { standIns } from './standIns';

/** n8n's own package loader, pointed at the sources, so that jest (and coverage) load them. */
class SourceLoader extends PackageDirectoryLoader {
	override resolvePath(file: string): string {
		return super.resolvePath(file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	}
}

/** What n8n's NodeTypes does with a declarative node when it's first requested. */
function withExecute(type: INodeType): INodeType {
	if (type.execute ?? type.poll ?? type.trigger) return type;
	type.execute = async function (this: ExecuteContext) {
		return (await new RoutingNode(this, type).runNode()) ?? [];
	};
	return type;
}

/**
 * All types of nodes and credentials. A node that is `usableAsTool` is also there as a tool, as in n8n
 * (tool-generation/ai-tools.js of the package n8n): the same code, with a tool's outputs.
 */
class TypeRegistry implements INodeTypes {
	private readonly nodes = new Map<string, INodeType>();
	private readonly credentials = new Map<string, ICredentialType>();

	/** Adds a node type by its full name, such as `fixture.request`. */
	addNode(name: string, given: INodeType): void {
		const type = withExecute(given);
		this.nodes.set(name, type);
		if (!type.description.usableAsTool) return;
		const description = {
			...type.description,
			name: `${type.description.name}Tool`,
			usableAsTool: undefined,
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
		};
		this.nodes.set(`${name}Tool`, { ...type, execute: type.execute, description });
	}

	addCredential(type: ICredentialType): void {
		this.credentials.set(type.name, type);
	}

	getCredential(name: string): ICredentialType {
		const type = this.credentials.get(name);
		if (type === undefined) throw new Error(`The harness knows no credential type '${name}'`);
		return type;
	}

	getByName(name: string): INodeType {
		const type = this.nodes.get(name);
		if (type === undefined) throw new Error(`The harness knows no node type '${name}'`);
		return type;
	}

	getByNameAndVersion = (name: string): INodeType => this.getByName(name);
	getKnownTypes = (): IDataObject => ({});
}

export const types = new TypeRegistry();

for (const [name, type] of Object.entries(standIns)) types.addNode(name, type);

let loading: Promise<void> | undefined;

async function load(): Promise<void> {
	const loader = new SourceLoader(join(__dirname, '..', '..'));
	const { nodes = [], credentials = [] } = loader.packageJson.n8n ?? {};
	// Otherwise, the loader would hide what a module throws.
	for (const file of [...nodes, ...credentials]) await import(loader.resolvePath(file));
	await loader.loadAll();
	for (const [name, { type }] of Object.entries(loader.nodeTypes)) {
		types.addNode(`${loader.packageName}.${name}`, NodeHelpers.getVersionedNodeType(type));
	}
	for (const { type } of Object.values(loader.credentialTypes)) types.addCredential(type);
}

/** Loads this package's nodes and credentials from their sources, once per test file. */
export async function loadPackage(): Promise<void> {
	loading ??= load();
	await loading;
}
