import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { isRecord, textAt } from '../../sandbox/guards';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { outputItems } from '../../sandbox/n8n/executions';
import { ensureN8n, n8nScript } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import type { RestClient } from '../../sandbox/n8n/rest';
import { startN8n } from '../../sandbox/n8n/server';
import type { Workflow } from '../../sandbox/n8n/workflowFile';
import { peakMemory, resetPeak } from './process';
import { type ServiceProcess, startService } from './service';
import { MEASURED, type MeasuredNode, workflowOf } from './workflows';

/** What one run in n8n took. */
export interface Measurement {
	/** n8n's own execution time of the measured node, in milliseconds. */
	time: number;
	/** Milliseconds from the start of the execution until its end, saving it included. */
	total: number;
	/** The peak of n8n's memory over what it had before, in megabytes; undefined outside Linux. */
	memory: number | undefined;
	/** The peak of n8n's memory in all, in megabytes; undefined outside Linux. */
	peak: number | undefined;
	/** What n8n stored of the execution, in megabytes; undefined in versions that do not say. */
	stored: number | undefined;
}

/** A real n8n with the packed package, and the sandbox service as a process of its own. */
export interface BenchStack {
	service: ServiceProcess;
	n8nVersion: string;
	/** The newest version of n8n's HTTP Request node. */
	httpVersion: number;
	/**
	 * Runs a node on items, and checks how many items it gave.
	 *
	 * @param items the `json` of the items
	 * @throws Error when the run did not succeed
	 */
	run(items: IDataObject[], node: MeasuredNode, expected?: number): Promise<Measurement>;
	/** Ends n8n and starts it again, so that nothing of earlier runs is in its memory. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

const modules = dirname(dirname(dirname(n8nScript)));
const RUN_TIMEOUT_MS = 600_000;
const POLL_MS = 100;

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

/** Waits by n8n's list of executions: reading the execution itself would move all of its items. */
async function waitForEnd({ call }: RestClient, workflowId: string): Promise<unknown> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	while (Date.now() < deadline) {
		const list = await call('GET', `/executions?limit=1&filter=${filter}`);
		const [last]: unknown[] = isRecord(list) && Array.isArray(list.results) ? list.results : [];
		if (isRecord(last) && !['new', 'running'].includes(textAt(last, 'status', 'A run')))
			return last;
		await sleep(POLL_MS);
	}
	throw new Error(`A run has not ended within ${RUN_TIMEOUT_MS / 1_000} seconds.`);
}

/**
 * Runs a node on items, and checks how many items it gave.
 *
 * @param pid the process that executes it
 * @throws Error when the run did not succeed
 */
export async function measure(
	rest: RestClient,
	pid: number,
	workflow: Workflow,
	expected: number,
): Promise<Measurement> {
	const workflowId = await rest.createWorkflow(workflow);
	const before = resetPeak(pid);
	const id = await rest.startWorkflow(workflowId);
	const ended = await waitForEnd(rest, workflowId);
	const peak = peakMemory(pid);
	const execution = await rest.waitForExecution(id);
	const { runData, error } = execution.data.resultData;
	const given = outputItems(execution, MEASURED).length;
	if (execution.status !== 'success' || given !== expected) {
		const why = error?.message ?? `${given} items instead of ${expected}`;
		throw new Error(`The run ended as '${execution.status}': ${why}`);
	}
	const timeAt = (key: string) => Date.parse(textAt(ended, key, 'A run'));
	return {
		time: runData[MEASURED]?.[0]?.executionTime ?? NaN,
		total: timeAt('stoppedAt') - timeAt('startedAt'),
		memory: before === undefined || peak === undefined ? undefined : peak - before,
		peak,
		stored: execution.storedBytes === undefined ? undefined : execution.storedBytes / 1_000_000,
	};
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
	const credential = await n8n.rest.createCredential('Sandbox', CREDENTIAL_TYPE, {
		baseUrl,
		apiKey,
	});
	return {
		service,
		n8nVersion: textAt(readJson('n8n/package.json'), 'version', 'n8n'),
		httpVersion: newestHttpVersion(),
		async run(items, node, expected = items.length) {
			return await measure(n8n.rest, n8n.pid, workflowOf(items, node, credential), expected);
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
