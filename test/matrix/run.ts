import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import execa from 'execa';

import { textAt } from '../../sandbox/guards';

const ROOT = resolve(__dirname, '../..');
const OLDEST = join(__dirname, 'oldest');

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Runs a command on the Node.js of the lock file. Returns whether it succeeded. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): boolean {
	const local = { preferLocal: true, localDir: ROOT, stdio: 'inherit', reject: false } as const;
	return execa.sync(command, args, { cwd, env, ...local }).exitCode === 0;
}

function npm(args: string[], cwd: string): void {
	const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	if (!run('npm', [...args, ...quiet], cwd)) throw new Error(`npm ${args[0]} failed in ${cwd}.`);
}

/** Installs what the lock file of a folder lists, unless that was done before. */
function installLocked(folder: string): void {
	const marker = join(folder, 'node_modules', '.matrix-installed');
	const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
	if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
	say(`Installing ${folder}`);
	npm(['ci'], folder);
	writeFileSync(marker, lock);
}

/** A test that fails on a version of n8n, with the reason. */
interface Difference {
	/** Part of its full name. */
	test: string;
	because: string;
}

function differencesOf(folder: string): Difference[] {
	const file = join(folder, 'differences.json');
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
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

function testWith(folder: string): boolean {
	const modules = join(folder, 'node_modules');
	const version = (name: string): string =>
		textAt(readJson(join(modules, name, 'package.json')), 'version', name);
	const engine = readFileSync(join(modules, 'n8n-workflow/dist/cjs/expression.js'), 'utf8');
	const hasVm = engine.includes('initExpressionEngine');
	say(`\nn8n-core ${version('n8n-core')}, expressions on ${hasVm ? 'legacy and vm' : 'legacy'}`);
	const output = join(mkdtempSync(join(tmpdir(), 'workflow-instance-service-matrix-')), 'results');
	const args = ['--selectProjects', 'legacy', ...(hasVm ? ['vm'] : [])];
	// Older versions of n8n-core keep connections open.
	args.push('--forceExit', '--json', '--outputFile', output);
	run('jest', args, ROOT, { N8N_ENGINE_FOLDER: folder });
	const results: Results = JSON.parse(readFileSync(output, 'utf8'));
	return judge(results, differencesOf(folder));
}

function testOldest(): boolean {
	installLocked(OLDEST);
	return testWith(OLDEST);
}

function testLatest(): boolean {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-matrix-'));
	try {
		writeFileSync(join(folder, 'package.json'), '{ "private": true }');
		npm(['install', 'n8n-core@latest', '--no-package-lock'], folder);
		return testWith(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const TESTS = new Map([
	// The engine of the oldest n8n that the node is tested in (test/matrix/oldest).
	['oldest', testOldest],
	// The engine that npm has at this moment.
	['latest', testLatest],
]);
const [name = 'oldest'] = process.argv.slice(2);
if (TESTS.get(name)?.()) say(`\nAs expected on ${name}.`);
else throw new Error(`Not as expected on ${name}.`);
