import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSandbox } from '../../sandbox/service';
import { renamable, type Task, TASKS } from './tasks';

/** What n8n evaluates and the service receives in a run; the same in every run. */
export interface Count {
	name: string;
	items: number;
	/** Expressions that n8n evaluates. */
	evaluations: number;
	requests: number;
}

const COUNTED: Array<[name: string, task: Task, ids: number]> = [
	['Get, ID from an expression', TASKS.get, 100],
	['Get, one ID', TASKS.getOne, 100],
	['Update, Reset, ID and name from expressions', TASKS.reset, 100],
	['Update, Keep, ID and name from expressions', TASKS.keep, 100],
	['Bulk Delete, IDs from a field', TASKS.deleteField, 10_000],
	['Bulk Delete, 10,000 IDs from one expression', TASKS.deleteList, 10_000],
];

/**
 * Counts evaluations and requests in the engine that the tests use. The numbers are the same on both
 * of n8n's expression engines.
 *
 * @throws Error when a run does not succeed
 */
export async function measureCounts(): Promise<Count[]> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	// n8n-core reads these when it is first required.
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_ENCRYPTION_KEY = 'key-of-the-benchmark';
	process.env.N8N_LOG_LEVEL = 'silent';
	const { runNode } = await import('../harness/runNode');
	const { baseUrl, apiKey, control, close } = await createSandbox();
	const counts: Count[] = [];
	try {
		for (const [name, { parameters, items: itemsOf }, size] of COUNTED) {
			const items = itemsOf(await renamable(size, (count) => control.addInstances(count)));
			control.clearLog();
			const credentials = { baseUrl, apiKey };
			const { evaluations, error } = await runNode({ parameters, items, credentials });
			if (error !== undefined) throw new Error(`${name} ended with: ${error.message}`);
			const { requests } = control.stats();
			counts.push({ name, items: items.length, evaluations, requests });
		}
		return counts;
	} finally {
		await close();
		rmSync(folder, { recursive: true, force: true });
	}
}
