import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import execa from 'execa';

const ROOT = resolve(__dirname, '../..');
const OLDEST = join(__dirname, 'oldest');
const LATEST = join(tmpdir(), 'workflow-instance-service-latest');

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Runs a command on the Node.js of the lock file. Returns whether it succeeded. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): boolean {
	const local = { preferLocal: true, localDir: ROOT, stdio: 'inherit', reject: false } as const;
	return execa.sync(command, args, { cwd, env, ...local }).exitCode === 0;
}

function npm(args: string[], cwd: string): void {
	const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	if (!run('npm', [...args, ...quiet], cwd)) throw new Error(`npm ${args[0]} failed in ${cwd}.`);
}

/** A test that fails on a version of n8n, with the reason. */
interface Difference {
	/** Part of its full name. */
	test: string;
	because: string;
}

interface Results {
	numTotalTests: number;
	testResults: Array<{
		name: string;
		status: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

/** Compares what failed with what was expected to. Each difference has to be one still. */
function judge({ numTotalTests, testResults }: Results, differences: Difference[]): boolean {
	const failed = testResults.flatMap(({ name, status, assertionResults }) => {
		const names = assertionResults.filter((one) => one.status === 'failed');
		// A file that can't be loaded has no results of its own.
		return status === 'failed' && names.length === 0 ? [name] : names.map((one) => one.fullName);
	});
	const unexpected = failed.filter((name) => !differences.some(({ test }) => name.includes(test)));
	const stale = differences.filter(({ test }) => !failed.some((name) => name.includes(test)));
	for (const { test, because } of differences) say(`  differs: ${test}\n    ${because}`);
	for (const name of unexpected) say(`  failed: ${name}`);
	for (const { test } of stale) say(`  no longer differs, remove it: ${test}`);
	return numTotalTests > 0 && unexpected.length + stale.length === 0;
}

/** Runs the engine's tests on the n8n-core that is installed in a folder. Returns whether all is as expected. */
function testWith(folder: string, differences: Difference[]): boolean {
	const modules = join(folder, 'node_modules');
	const engine = readFileSync(join(modules, 'n8n-workflow/dist/cjs/expression.js'), 'utf8');
	const engines = engine.includes('initExpressionEngine') ? ['legacy', 'vm'] : ['legacy'];
	run('npm', ['ls', 'n8n-core'], folder);
	const output = join(modules, '.results.json');
	// Older versions of n8n-core keep connections open.
	const args = ['--selectProjects', ...engines, '--forceExit', '--json', '--outputFile', output];
	run('jest', args, ROOT, { N8N_ENGINE_FOLDER: folder });
	return judge(readJson(output), differences);
}

/** The engine of the oldest n8n that the node supports. */
function testOldest(): boolean {
	npm(['ci'], OLDEST);
	return testWith(OLDEST, readJson(join(OLDEST, 'differences.json')));
}

/** The engine that npm has at this moment. */
function testLatest(): boolean {
	mkdirSync(LATEST, { recursive: true });
	writeFileSync(join(LATEST, 'package.json'), '{ "private": true }');
	npm(['install', 'n8n-core@latest', '--no-package-lock'], LATEST);
	return testWith(LATEST, []);
}

const isLatest = process.argv.includes('latest');
const isAsExpected = isLatest ? testLatest() : testOldest();
say(isAsExpected ? '\nAs expected.' : '\nNot as expected.');
if (!isAsExpected) process.exitCode = 1;
