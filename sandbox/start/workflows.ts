import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { isRecord } from '../guards';
import { rootFolder } from '../n8n/paths';
import type { RestClient } from '../n8n/rest';
import { asWorkflow, newWorkflow, type Workflow, workflowNode } from '../n8n/workflowFile';
import { NODE_TYPE } from '../names';
import notes from './notes.json';

export type StoredWorkflow = Workflow & { id: string };

/** A service to use in place of the sandbox. */
export interface OwnService {
	baseUrl: string;
	apiKey: string;
	/** The one instance that the tour reads; without it there is no tour. */
	instanceId?: number;
}

const prefix = 'WORKFLOW_INSTANCE_SERVICE_';
export const serviceVariables = `${prefix}BASE_URL and ${prefix}API_KEY`;
export const instanceIdVariable = `${prefix}INSTANCE_ID`;

function toInstanceId(text: string): number {
	if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
	throw new Error(
		`${instanceIdVariable} is not a valid instance ID. Set it to a whole number above 0.`,
	);
}

/**
 * Reads your own service from the environment.
 *
 * @returns undefined if neither base URL nor API key is set
 * @throws when only one of the two is set, or a value is invalid
 */
export function readOwnService(env: NodeJS.ProcessEnv): OwnService | undefined {
	const valueOf = (name: string) => env[`${prefix}${name}`]?.trim() ?? '';
	const [baseUrl, apiKey, id] = [valueOf('BASE_URL'), valueOf('API_KEY'), valueOf('INSTANCE_ID')];
	if (baseUrl === '' && apiKey === '') return undefined;
	if (baseUrl === '' || apiKey === '') {
		const [set, missing] = baseUrl === '' ? ['API_KEY', 'BASE_URL'] : ['BASE_URL', 'API_KEY'];
		throw new Error(
			`${prefix}${set} is set but ${prefix}${missing} is not. Set both to use your own service, ` +
				'or neither to use the sandbox.',
		);
	}
	if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
		throw new Error(`${prefix}BASE_URL is not an HTTP(S) URL. Set it to https://…/api.`);
	}
	return { baseUrl, apiKey, instanceId: id === '' ? undefined : toInstanceId(id) };
}

/** The same ID for the same name on every start, so that a workflow is replaced, not doubled. */
function stableId(name: string): string {
	return `wis${createHash('sha256').update(name).digest('hex').slice(0, 13)}`;
}

function readWorkflow(path: string): StoredWorkflow {
	const parsed: unknown = JSON.parse(readFileSync(join(rootFolder, path), 'utf8'));
	const workflow = asWorkflow(parsed, path);
	return { ...workflow, id: workflow.id ?? stableId(basename(path, '.json')) };
}

/** The position and size of a note: to the left of the note about a recipe. */
const NOTE = { position: [-420, -300], width: 320, height: 240, color: 6 };

/** Notes on how to try the recipes in the sandbox, by file name. */
const sandboxNotes = new Map(Object.entries(notes));

/**
 * The workflows of the folder `examples`.
 *
 * @param isInSandbox whether each gets a note on how to try it in the sandbox
 * @throws when a file there is not an exported workflow
 */
export function readRecipes(isInSandbox: boolean): StoredWorkflow[] {
	const files = readdirSync(join(rootFolder, 'examples')).filter((file) => file.endsWith('.json'));
	return files.map((file) => {
		const workflow = readWorkflow(`examples/${file}`);
		const text = sandboxNotes.get(basename(file, '.json'));
		if (!isInSandbox || text === undefined) return workflow;
		const { position, ...size } = NOTE;
		const parameters = { ...size, content: `**Try it in the sandbox**\n\n${text}` };
		const type = 'n8n-nodes-base.stickyNote';
		const note = workflowNode('Note on the sandbox', type, 1, parameters, position);
		return { ...workflow, nodes: [...workflow.nodes, note] };
	});
}

/** The tour, which changes and deletes instances of the sandbox. It's not for other services. */
export const readTour = (): StoredWorkflow => readWorkflow('sandbox/start/tour.json');

function readHashes(file: string): Record<string, unknown> {
	const hashes: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
	return isRecord(hashes) ? hashes : {};
}

/**
 * Stores workflows in n8n, in place of those of an earlier start, unless a user has edited or archived them since.
 *
 * @param file the file that remembers what was imported, as hashes
 * @returns the names of those that were left as they are
 */
export async function importWorkflows(
	rest: RestClient,
	workflows: StoredWorkflow[],
	file: string,
): Promise<string[]> {
	const imported = readHashes(file);
	const kept: string[] = [];
	for (const workflow of workflows) {
		const stored = await rest.contentHash(workflow.id);
		if (stored !== undefined && stored !== imported[workflow.id]) kept.push(workflow.name);
		else imported[workflow.id] = await rest.saveWorkflow(workflow, stored !== undefined);
		// Written right away, or after an interrupted start, imported workflows would seem to be edited.
		writeFileSync(file, JSON.stringify(imported));
	}
	return kept;
}

/** The tour for a service that is not the sandbox: it reads one instance and does nothing else. */
export function readOnlyTour(instanceId: number): StoredWorkflow {
	const name = 'Workflow Instance Service: read-only tour';
	const get = {
		resource: 'instance',
		operation: 'get',
		instanceId: { __rl: true, mode: 'id', value: String(instanceId) },
	};
	const trigger = 'When clicking ‘Execute workflow’';
	const nodes = [
		workflowNode(trigger, 'n8n-nodes-base.manualTrigger', 1, {}),
		workflowNode('Get Instance', NODE_TYPE, 1, get, [220, 0]),
	];
	return { ...newWorkflow(name, nodes), id: stableId(name) };
}
