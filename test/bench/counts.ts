import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createSandbox, SEED } from '../../sandbox/service';
import {
	deleteFromExpression,
	deleteFromField,
	getParameters,
	isRenamable,
	updateParameters,
} from './workflows';

/** What n8n evaluates and the service receives in a run; the same in every run. */
export interface Count {
	name: string;
	items: number;
	/** Expressions that n8n evaluates. */
	evaluations: number;
	requests: number;
}

/** n8n-core reads these when it is first required. */
function prepareEnvironment(folder: string): void {
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_ENCRYPTION_KEY = 'key-of-the-benchmark';
	process.env.N8N_LOG_LEVEL = 'silent';
}

/**
 * Counts evaluations and requests in the engine that the tests use. The numbers are the same on both
 * of n8n's expression engines.
 *
 * @throws Error when a run does not succeed
 */
export async function measureCounts(): Promise<Count[]> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	prepareEnvironment(folder);
	const { runNode } = await import('../harness/runNode');
	const { baseUrl, apiKey, control, close } = await createSandbox();
	const credentials = { baseUrl, apiKey };
	const count = async (
		name: string,
		items: IDataObject[],
		parameters: INodeParameters,
	): Promise<Count> => {
		control.clearLog();
		const { evaluations, error } = await runNode({ parameters, items, credentials });
		if (error !== undefined) throw new Error(`${name} ended with: ${error.message}`);
		return { name, items: items.length, evaluations, requests: control.stats().requests };
	};
	const hundred = control.addInstances(200).filter(isRenamable).slice(0, 100);
	const items = hundred.map((id) => ({ id }));
	const many = () => control.addInstances(10_000);
	const ofExpressions = 'ID and name from expressions';
	try {
		return [
			await count('Get, ID from an expression', items, getParameters()),
			await count('Get, one ID', items, getParameters(SEED.running)),
			await count(`Update, Reset, ${ofExpressions}`, items, updateParameters('reset')),
			await count(`Update, Keep, ${ofExpressions}`, items, updateParameters('keep')),
			await count(
				'Bulk Delete, IDs from a field',
				many().map((id) => ({ id })),
				deleteFromField,
			),
			await count(
				'Bulk Delete, 10,000 IDs from one expression',
				[{ ids: many() }],
				deleteFromExpression,
			),
		];
	} finally {
		await close();
		rmSync(folder, { recursive: true, force: true });
	}
}
