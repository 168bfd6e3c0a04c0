import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { outputItems } from '../../sandbox/n8n/executions';
import { isRecord, textAt } from '../../sandbox/guards';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { ensureN8n, n8nScript } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import { startN8n } from '../../sandbox/n8n/server';
import type { CredentialReference } from '../../sandbox/n8n/workflow-file';
import { cpuTime, peakMemory, resetPeak } from './process';
import { type ServiceProcess, startService } from './service';
import { type MeasuredNode, measuredName, workflowOf } from './workflows';

/** What one run in n8n took. */
export interface Measurement {
	/** n8n's own execution time of the measured nodes together, in milliseconds. */
	time: number;
	/** CPU time that the n8n process used for the whole run, in milliseconds; undefined where it cannot be read. */
	cpu: number | undefined;
	/** The most memory that the n8n process had, in megabytes; undefined where it cannot be read. */
	memory: number | undefined;
}

/** A real n8n with the packed package, and the sandbox service as a process of its own. */
export interface BenchStack {
	service: ServiceProcess;
	n8nVersion: string;
	/** The newest version of n8n's HTTP Request node. */
	httpVersion: number;
	predefined: CredentialReference;
	generic: CredentialReference;
	/**
	 * Runs nodes behind each other on items, and checks how many items the last one gave.
	 *
	 * @param items the `json` of the items
	 * @throws Error when the run did not succeed
	 */
	run(items: IDataObject[], nodes: MeasuredNode[], expected: number): Promise<Measurement>;
	/** Ends n8n and starts it again, so that nothing of earlier runs is in its memory. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

const modules = dirname(dirname(dirname(n8nScript)));
const RUN_TIMEOUT_MS = 600_000;

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(modules, path), 'utf8'));

function newestHttpVersion(): number {
	const types = readJson('n8n-nodes-base/dist/types/nodes.json');
	const all: unknown[] = Array.isArray(types) ? types : [];
	const versions = all
		.filter(isRecord)
		.filter(({ name }) => name === 'httpRequest')
		.flatMap(({ version }): unknown[] => (Array.isArray(version) ? version : [version]))
		.map(Number);
	return Math.max(...versions);
}

/**
 * Starts everything in a temporary folder.
 *
 * @param env of the n8n process, e.g. NODE_OPTIONS for a profile
 */
export async function startStack(env: Record<string, string>): Promise<BenchStack> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	await ensureN8n();
	await installPackage(folder);
	const service = await startService();
	let n8n = await startN8n({ userFolder: folder, env });
	const { baseUrl, apiKey } = service;
	const predefined = await n8n.rest.createCredential('Sandbox', CREDENTIAL_TYPE, {
		baseUrl,
		apiKey,
	});
	const generic = await n8n.rest.createCredential('Header', 'httpHeaderAuth', {
		name: 'Authorization',
		value: `Api-Key ${apiKey}`,
	});
	return {
		service,
		n8nVersion: textAt(readJson('n8n/package.json'), 'version', 'n8n'),
		httpVersion: newestHttpVersion(),
		predefined,
		generic,
		async run(items, nodes, expected) {
			const { rest } = n8n;
			const id = await rest.createWorkflow(workflowOf(items, nodes));
			resetPeak(n8n.pid);
			const before = cpuTime(n8n.pid);
			const execution = await rest.runWorkflow(id, { timeoutMs: RUN_TIMEOUT_MS });
			const after = cpuTime(n8n.pid);
			const memory = peakMemory(n8n.pid);
			const { runData, error } = execution.data.resultData;
			const given = outputItems(execution, measuredName(nodes.length - 1)).length;
			if (execution.status !== 'success' || given !== expected) {
				const why = error?.message ?? `${given} items instead of ${expected}`;
				throw new Error(`The run ended as '${execution.status}': ${why}`);
			}
			const times = nodes.map(
				(_, index) => runData[measuredName(index)]?.[0]?.executionTime ?? NaN,
			);
			const cpu = before === undefined || after === undefined ? undefined : after - before;
			return { time: times.reduce((sum, time) => sum + time, 0), cpu, memory };
		},
		async restart() {
			await n8n.stop();
			n8n = await startN8n({ userFolder: folder, env });
		},
		async stop() {
			await n8n.stop();
			await service.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
