import { join } from 'node:path';

import execa from 'execa';

import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { writeMeasurements } from '../pages';
import { type Comparison, COMPARISONS, SIZED, type Task } from './comparisons';
import { type Compared, figures, HTTP_REQUEST_VERSION, type Size, sizesTable } from './report';
import { type BenchStack, startStack } from './stack';

const ROUNDS = 5;
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const BARE_CLIENT = join(__dirname, 'bareClient.ts');
/** Run first, so that what n8n loads for its first run isn't counted. */
const WARM_UP = 10;

const runTask = async (stack: BenchStack, task: Task) =>
	await stack.run(task, NODE_TYPE, 1, { resource: 'instance', ...task.parameters });

/** How many milliseconds the other takes to do the same; HTTP Request uses the same credential. */
async function timeOfOther(stack: BenchStack, comparison: Comparison): Promise<number> {
	const { http, time } = comparison.other;
	if (time !== undefined) return time;
	if (http === undefined) {
		const ids = stack.addInstances(comparison);
		const { baseUrl, apiKey } = stack.sandbox;
		const args = ['--import', 'tsx', BARE_CLIENT, baseUrl, apiKey, ids.join()];
		return Number((await execa('node', args)).stdout);
	}
	const authentication = 'predefinedCredentialType';
	const signed = { authentication, nodeCredentialType: CREDENTIAL_TYPE, options: {}, ...http };
	return (await stack.run(comparison, HTTP_REQUEST, HTTP_REQUEST_VERSION, signed)).time;
}

async function compare(stack: BenchStack, { comparison, ours, others }: Compared): Promise<void> {
	const { time } = await runTask(stack, comparison);
	const other = await timeOfOther(stack, comparison);
	ours.push(time);
	others.push(other);
	console.log(`${comparison.name}: ${Math.round(time)} / ${Math.round(other)} ms`);
}

/** Runs a task once, in an n8n that has just started. */
async function measureSize(stack: BenchStack, task: Task): Promise<Size> {
	await stack.restart();
	await runTask(stack, { ...task, instances: WARM_UP });
	return { ...task, ...(await runTask(stack, task)) };
}

/** With `--queue`, measures a worker in queue mode. */
async function main(): Promise<void> {
	const isQueue = process.argv.includes('--queue');
	const chosen = isQueue ? [] : COMPARISONS;
	const compared: Compared[] = chosen.map((comparison) => ({ comparison, ours: [], others: [] }));
	const stack = await startStack(isQueue);
	try {
		for (let round = 0; round < ROUNDS; round++) {
			for (const one of compared) await compare(stack, one);
		}
		const sizes: Size[] = [];
		for (const task of SIZED) sizes.push(await measureSize(stack, task));
		const text = isQueue ? sizesTable(sizes) : figures(compared, sizes);
		console.log(text);
		await writeMeasurements(isQueue ? 'npm run bench -- --queue' : 'npm run bench', text);
	} finally {
		await stack.stop();
	}
}

void main();
