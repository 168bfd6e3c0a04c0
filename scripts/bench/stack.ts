import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import getPort from 'get-port';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { isRecord, textAt } from '../../sandbox/guards';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { outputItems } from '../../sandbox/n8n/executions';
import { ensureN8n, n8nScript } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import { rootFolder } from '../../sandbox/n8n/paths';
import type { RestClient } from '../../sandbox/n8n/rest';
import { startN8n, waitUntilReady } from '../../sandbox/n8n/server';
import {
	newWorkflow,
	withCredential,
	type WorkflowNode,
	workflowNode,
} from '../../sandbox/n8n/workflowFile';
import { startNode } from '../../sandbox/process';
import { startCluster } from '../../sandbox/queue/cluster';
import { DEFAULT_KEY, type SandboxControl } from '../../sandbox/service';
import { callControl } from '../../sandbox/service/command';
import { START, withItems } from '../../test/e2e/support/stack';
import type { Task } from './comparisons';

/** What one run in n8n took; in megabytes what can be measured. */
export interface Measurement {
	/** n8n's own execution time of the measured node, in milliseconds. */
	time: number;
	/** Milliseconds from the start of the execution until its end, saving it included. */
	total: number;
	/** The peak of n8n's memory over what it had before. */
	memory: number;
	/** The peak of n8n's memory in all. */
	peak: number;
	/** What n8n stored of the execution. */
	stored: number;
}

const modules = dirname(dirname(dirname(n8nScript)));
const MEASURED = 'Measured';
const RUN_TIMEOUT_MS = 600_000;
const POLL_MS = 100;

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(modules, path), 'utf8'));

/** The version of n8n, and the newest one of its HTTP Request node. */
export function versions(): { n8n: string; http: number } {
	const types = readJson('n8n-nodes-base/dist/types/nodes.json');
	const nodes = (Array.isArray(types) ? types : []).filter(isRecord);
	const all = nodes.filter(({ name }) => name === 'httpRequest').flatMap(({ version }) => version);
	const n8n = textAt(readJson('n8n/package.json'), 'version', 'n8n');
	return { n8n, http: Math.max(...all.map(Number)) };
}

/** The most memory that a process had since {@link resetPeak}, in megabytes; NaN outside Linux. */
function peakOf(pid: number): number {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
	} catch {
		return NaN;
	}
}

/** Lets Linux measure the peak of a process's memory from now on. Does nothing elsewhere. */
function resetPeak(pid: number): void {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// Then no memory is measured.
	}
}

/** Waits by n8n's list of executions: reading the execution itself would move all of its items. */
async function waitForEnd({ call }: RestClient, workflowId: string): Promise<unknown> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	while (Date.now() < deadline) {
		const list = await call('GET', `/executions?limit=1&filter=${filter}`);
		const [last]: unknown[] = isRecord(list) && Array.isArray(list.results) ? list.results : [];
		const isEnded = isRecord(last) && !/^(new|running)$/.test(textAt(last, 'status', 'A run'));
		if (isEnded) return last;
		await sleep(POLL_MS);
	}
	throw new Error(`A run has not ended within ${RUN_TIMEOUT_MS / 1_000} seconds.`);
}

/** Runs a stored workflow, and checks how many items the measured node gave. */
async function measure(
	{ rest, pid }: Executor,
	workflowId: string,
	expected: number,
): Promise<Measurement> {
	resetPeak(pid);
	const before = peakOf(pid);
	const id = await rest.startWorkflow(workflowId);
	const ended = await waitForEnd(rest, workflowId);
	const peak = peakOf(pid);
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
		memory: peak - before,
		peak,
		stored: (execution.storedBytes ?? NaN) / 1_000_000,
	};
}

/**
 * Starts the sandbox service on a free port of 127.0.0.1, in a process of its own, so that it shares
 * no thread with a client.
 *
 * @throws Error when it does not respond in time
 */
async function startService() {
	const port = await getPort();
	const url = `http://127.0.0.1:${port}`;
	const args = ['--import', 'tsx', 'sandbox/service/main.ts', '--port', String(port)];
	const child = startNode(args, { cwd: rootFolder, env: process.env });
	const control = async (name: keyof SandboxControl, ...values: unknown[]): Promise<unknown> =>
		await callControl(url, name, values);
	await waitUntilReady([`${url}/control`], child);
	return {
		/** Ends in `/api`. */
		baseUrl: `${url}/api`,
		apiKey: DEFAULT_KEY,
		/** Seeded instances only, no latency, counters at zero; then adds instances and gives their ids. */
		async prepare(instances: number, latencyMs = 0) {
			await control('reset');
			const ids = await control('addInstances', instances);
			await control('setLatency', latencyMs);
			return Array.isArray(ids) ? ids.map(Number) : [];
		},
		/** How many requests were received since the last `prepare`. */
		async requests() {
			const stats = await control('stats');
			return isRecord(stats) ? Number(stats.requests) : NaN;
		},
		stop: async () => await child.stop(),
	};
}

/** The process that executes workflows, and the client of n8n. */
interface Executor {
	pid: number;
	rest: RestClient;
	stop(): Promise<unknown>;
}

/** A real n8n with the packed package, and the sandbox service as a process of its own. */
export type BenchStack = Awaited<ReturnType<typeof stackOf>>;

async function stackOf(folder: string, start: () => Promise<Executor>) {
	const service = await startService();
	const { baseUrl, apiKey } = service;
	let executor = await start();
	const data = { baseUrl, apiKey };
	const credential = await executor.rest.createCredential('Sandbox', CREDENTIAL_TYPE, data);
	const run = async (node: WorkflowNode, items: IDataObject[], expected: number) => {
		const workflow = withItems(newWorkflow('Benchmark', [START, node]), START.name, items);
		const signed = withCredential(workflow, NODE_TYPE, credential);
		return await measure(executor, await executor.rest.createWorkflow(signed), expected);
	};
	return {
		service,
		/** Runs this node, and checks how many items it gave. */
		run: async ({ parameters, items }: Task, ids: number[]) =>
			await run(workflowNode(MEASURED, NODE_TYPE, 1, parameters), items(ids), ids.length),
		/** The same for n8n's HTTP Request node, signed by the credential of this package. */
		async runHttp(items: IDataObject[], parameters: INodeParameters) {
			const authentication = 'predefinedCredentialType';
			const signed = { authentication, nodeCredentialType: CREDENTIAL_TYPE, ...parameters };
			const type = 'n8n-nodes-base.httpRequest';
			const node = workflowNode(MEASURED, type, versions().http, { ...signed, options: {} });
			return await run(node, items, items.length);
		},
		/** Ends the process that executes and starts it again, so that its memory holds nothing of before. */
		async restart() {
			await executor.stop();
			executor = await start();
		},
		async stop() {
			await executor.stop();
			await service.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function newFolder(): Promise<string> {
	await ensureN8n();
	return mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
}

/**
 * Starts n8n in a temporary folder.
 *
 * @param profile the folder for CPU profiles of n8n; empty for none
 */
export async function startStack(profile: string): Promise<BenchStack> {
	const options = `--cpu-prof --cpu-prof-dir=${resolve(profile)}`;
	const env: Record<string, string> = profile === '' ? {} : { NODE_OPTIONS: options };
	const userFolder = await newFolder();
	await installPackage(userFolder);
	return await stackOf(userFolder, async () => await startN8n({ userFolder, env }));
}

/** Starts n8n in queue mode with one worker, whose memory is measured. */
export async function startQueueStack(): Promise<BenchStack> {
	const folder = await newFolder();
	const { main, addWorker, stop } = await startCluster({ folder });
	const start = async () => ({ ...(await addWorker()), rest: main.rest });
	const stack = await stackOf(folder, start);
	return {
		...stack,
		async stop() {
			await stop();
			await stack.stop();
		},
	};
}
