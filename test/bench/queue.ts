import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { ensureN8n } from '../../sandbox/n8n/install';
import type { OwnedProcess } from '../../sandbox/n8n/process';
import { startCluster } from '../../sandbox/queue/cluster';
import { table } from '../docs/table';
import { writePage } from '../docs/write';
import { number } from './report';
import { startService } from './service';
import { measureSizes, type Size } from './sizes';
import { type BenchStack, measure } from './stack';
import { seconds } from './stats';
import { workflowOf } from './workflows';

const PAGE = 'operations.md';
const BEGIN = '<!-- npm run bench -- --queue: begin -->';
const END = '<!-- npm run bench -- --queue: end -->';

type QueueStack = Pick<BenchStack, 'service' | 'run' | 'restart' | 'stop'>;

/** n8n in queue mode with one worker, whose memory is measured; a restart is a new worker. */
async function startQueueStack(): Promise<QueueStack> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	await ensureN8n();
	const service = await startService();
	const cluster = await startCluster({ folder });
	const { rest } = cluster.main;
	const { baseUrl, apiKey } = service;
	const credential = await rest.createCredential('Sandbox', CREDENTIAL_TYPE, { baseUrl, apiKey });
	let worker: OwnedProcess | undefined;
	return {
		service,
		async run(items, node, expected = items.length) {
			if (worker === undefined) throw new Error('There is no worker yet.');
			return await measure(rest, worker.pid, workflowOf(items, node, credential), expected);
		},
		async restart() {
			await worker?.stop();
			worker = await cluster.addWorker();
		},
		async stop() {
			await cluster.stop();
			await service.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

const megabytes = (value: number | undefined): string =>
	value === undefined ? 'not measured' : `${number(Number(value.toFixed(value < 10 ? 1 : 0)))} MB`;

/** @param loadBefore of the machine, in the minute before the runs: what else it was busy with */
function figures(sizes: Size[], loadBefore: number): string {
	const head = ['', 'Items', 'Requests', 'Node', 'Whole execution', 'Peak memory', 'Stored'];
	const rows = sizes.map(({ name, items, requests, time, total, peak, stored }) => [
		name,
		number(items),
		number(requests),
		`${seconds(time)} s`,
		`${seconds(total)} s`,
		megabytes(peak),
		megabytes(stored),
	]);
	const machine = `${cpus().length} cores and ${Math.round(totalmem() / 1024 ** 3)} GB`;
	const load = `load average ${loadBefore.toFixed(1)} when it began`;
	return `${table(head, rows)}\n\nMeasured on ${machine} for all processes together, ${load}.`;
}

/**
 * Measures how much runs through a worker take, and writes it into docs/operations.md, between its
 * marks.
 *
 * @param counts numbers of items
 * @param print whether to show the figures instead of writing them
 * @param say called with each line of output
 */
export async function measureQueue(
	counts: number[],
	print: boolean,
	say: (text: string) => void,
): Promise<void> {
	const [loadBefore = 0] = loadavg();
	const stack = await startQueueStack();
	try {
		const text = figures(await measureSizes(stack, counts, say), loadBefore);
		if (print) return say(`\n${text}`);
		const page = readFileSync(join(__dirname, '../../docs', PAGE), 'utf8');
		const [before, rest = ''] = page.split(BEGIN);
		const after = rest.split(END)[1];
		if (after === undefined) throw new Error(`docs/${PAGE} has not the two marks of the figures.`);
		await writePage(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
	} finally {
		await stack.stop();
	}
}
