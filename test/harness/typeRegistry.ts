import { join } from 'node:path';
import {
	DirectoryLoader,
	PackageDirectoryLoader,
	RoutingNode,
	type ExecuteContext,
} from 'n8n-core';
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

/** What n8n's NodeTypes does with a declarative node when it is first asked for. */
function withExecute(type: INodeType): INodeType {
	if (type.execute ?? type.poll ?? type.trigger) return type;
	type.execute = async function (this: ExecuteContext) {
		return (await new RoutingNode(this, type).runNode()) ?? [];
	};
	return type;
}

/**
 * The type that n8n offers to AI agents for a node that is `usableAsTool`: the same code, with a
 * tool's outputs (source: tool-generation/ai-tools.js of the package n8n).
 */
function asTool(type: INodeType): INodeType {
	const { usableAsTool, ...description } = type.description;
	const replacements = typeof usableAsTool === 'object' ? usableAsTool.replacements : undefined;
	const ends = { inputs: [], outputs: [NodeConnectionTypes.AiTool] };
	const name = `${description.name}Tool`;
	const tool = { ...description, ...replacements, ...ends, name };
	return { ...type, execute: type.execute, description: tool };
}

class TypeRegistry implements INodeTypes {
	private readonly nodes = new Map<string, INodeType>();

	private readonly credentials = new Map<string, ICredentialType>();

	addNode(name: string, type: INodeType): void {
		this.nodes.set(name, withExecute(type));
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
		return this.getByNameAndVersion(name);
	}

	getByNameAndVersion(name: string): INodeType {
		const type = this.nodes.get(name) ?? this.toolVariant(name);
		if (type === undefined) throw new Error(`The harness knows no node type '${name}'`);
		return type;
	}

	getKnownTypes = (): IDataObject => ({});

	/** n8n derives the type `xTool` of a node `x` that is `usableAsTool`. */
	private toolVariant(name: string): INodeType | undefined {
		const type = name.endsWith('Tool') ? this.nodes.get(name.slice(0, -'Tool'.length)) : undefined;
		if (!type?.description.usableAsTool) return undefined;
		const tool = asTool(type);
		this.nodes.set(name, tool);
		return tool;
	}
}

export const types = new TypeRegistry();

for (const [name, type] of Object.entries(standIns)) types.addNode(name, type);

/**
 * Adds a node type of a test, with the request options that n8n adds to declarative nodes.
 *
 * @param name - full name, such as `fixture.declarative`
 */
export function registerNodeType(name: string, type: INodeType): void {
	DirectoryLoader.applyDeclarativeNodeOptionParameters(type);
	types.addNode(name, type);
}

let loading: Promise<void> | undefined;

async function load(): Promise<void> {
	const loader = new SourceLoader(join(__dirname, '..', '..'));
	const { nodes = [], credentials = [] } = loader.packageJson.n8n ?? {};
	// The loader would hide what a module throws.
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
