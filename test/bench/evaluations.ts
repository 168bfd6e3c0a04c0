import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { createSandbox } from '../../sandbox/service';
import {
	deleteFromExpression,
	deleteFromField,
	getParameters,
	updateParameters,
} from './workflows';

/** How many expressions n8n evaluates for each item of an operation. */
export interface Evaluations {
	text: string;
	perItem: number;
}

const ITEMS = 10;

/** n8n-core reads these when it is first required. */
function prepareEnvironment(folder: string): void {
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_ENCRYPTION_KEY = 'key-of-the-benchmark';
	process.env.N8N_LOG_LEVEL = 'silent';
}

/**
 * Counts evaluations in the engine that the tests use. The number is the same on both of n8n's
 * expression engines.
 */
export async function evaluationsPerItem(): Promise<Evaluations[]> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	prepareEnvironment(folder);
	const { runNode } = await import('../harness/run-node');
	const { baseUrl, apiKey, control, close } = await createSandbox();
	const credentials = { baseUrl, apiKey };
	const count = async (text: string, parameters: INodeParameters): Promise<Evaluations> => {
		const items = control.addInstances(ITEMS).map((id) => ({ id, ids: [id] }));
		const { evaluations } = await runNode({ parameters, items, credentials });
		return { text, perItem: evaluations / ITEMS };
	};
	try {
		return [
			await count('Get, id from an expression', getParameters()),
			await count('Get, id constant', getParameters(101)),
			await count('Update, id and name from expressions', updateParameters('reset')),
			await count('Bulk Delete, ids from a field', deleteFromField('id')),
			await count('Bulk Delete, ids from an expression', deleteFromExpression),
		];
	} finally {
		await close();
		rmSync(folder, { recursive: true, force: true });
	}
}
