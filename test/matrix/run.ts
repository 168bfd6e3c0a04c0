import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { textAt } from '../../sandbox/guards';
import { nodeBinary, npmScript, pathWithNode } from '../../sandbox/n8n/paths';

const ROOT = resolve(__dirname, '../..');
const OLDEST = join(__dirname, 'oldest');

const say = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

function runNode(args: string[], cwd: string, variables: Record<string, string> = {}): boolean {
	const env = { ...process.env, ...variables, PATH: pathWithNode() };
	return spawnSync(nodeBinary(), args, { cwd, stdio: 'inherit', env }).status === 0;
}

function npm(args: string[], cwd: string): void {
	const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	if (!runNode([npmScript(), ...args, ...quiet], cwd)) {
		throw new Error(`npm ${args[0]} did not end well in ${cwd}.`);
	}
}

/** Installs what the lock file of a folder names, unless that was done before. */
function installLocked(folder: string): void {
	const marker = join(folder, 'node_modules', '.matrix-installed');
	const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
	if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
	say(`Installing ${folder}`);
	npm(['ci'], folder);
	writeFileSync(marker, lock);
}

/** Tests that do not apply to a version, with the reason, as a pattern for all others. */
function othersThan(folder: string): string[] {
	const file = join(folder, 'differences.json');
	if (!existsSync(file)) return [];
	const listed = readJson(file);
	const names = (Array.isArray(listed) ? listed : []).map((one: unknown) => {
		const name = textAt(one, 'test', file);
		say(`  left out: ${name}\n    ${textAt(one, 'because', file)}`);
		return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	});
	return names.length === 0 ? [] : ['--testNamePattern', `^(?!.*(${names.join('|')}))`];
}

function testWith(folder: string): boolean {
	const modules = join(folder, 'node_modules');
	const version = (name: string): string =>
		textAt(readJson(join(modules, name, 'package.json')), 'version', name);
	const engine = readFileSync(join(modules, 'n8n-workflow/dist/cjs/expression.js'), 'utf8');
	const hasVm = engine.includes('initExpressionEngine');
	const engines = hasVm ? 'legacy and vm' : 'legacy only';
	say(`\nn8n-core ${version('n8n-core')}, n8n-workflow ${version('n8n-workflow')}: ${engines}`);
	const jest = join(dirname(require.resolve('jest/package.json')), 'bin', 'jest.js');
	// harness.test.ts is about the n8n that the project develops with.
	const others = folder === ROOT ? [] : ['--testPathIgnorePatterns', 'engine/harness\\.test'];
	const projects = ['--selectProjects', 'legacy', ...(hasVm ? ['vm'] : [])];
	// Older versions of n8n-core keep connections open.
	const args = [jest, '--forceExit', ...projects, ...others, ...othersThan(folder)];
	return runNode(args, ROOT, { N8N_ENGINE_FOLDER: folder });
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
	// The engine of the oldest n8n that the node supports (test/matrix/oldest).
	['oldest', testOldest],
	// The engine that the project develops with.
	['newest', () => testWith(ROOT)],
	// The engine that npm has at this moment.
	['latest', testLatest],
]);
const wanted = process.argv.slice(2);
const names = wanted.length === 0 ? ['oldest', 'newest'] : wanted;
const failed = names.filter((name) => !TESTS.get(name)?.());
if (failed.length === 0) say(`\nAll tests passed on ${names.join(', ')}.`);
else throw new Error(`Not on ${failed.join(', ')}.`);
