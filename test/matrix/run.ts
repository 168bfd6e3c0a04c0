import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import execa from 'execa';

const ROOT = resolve(__dirname, '../..');
const OLDEST = join(__dirname, 'oldest');
const LATEST = join(tmpdir(), 'workflow-instance-service-latest');

/** Runs a command on the Node.js of the lock file. Returns whether it succeeded. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): boolean {
	const local = { preferLocal: true, localDir: ROOT, stdio: 'inherit', reject: false } as const;
	return execa.sync(command, args, { cwd, env, ...local }).exitCode === 0;
}

function npm(args: string[], cwd: string): void {
	const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	if (!run('npm', [...args, ...quiet], cwd)) throw new Error(`npm ${args[0]} failed in ${cwd}.`);
}

/** Installs the engine of the oldest supported n8n. Returns the arguments that skip the tests that differ there. */
function installOldest(): string[] {
	npm(['ci'], OLDEST);
	const differences: Array<{ test: string }> = JSON.parse(
		readFileSync(join(OLDEST, 'differences.json'), 'utf8'),
	);
	const names = differences.map(({ test }) => test.replace(/[^\w ]/g, '.'));
	return ['--testNamePattern', `^(?!.*(${names.join('|')}))`];
}

/** Installs the latest engine on npm. */
function installLatest(): string[] {
	mkdirSync(LATEST, { recursive: true });
	writeFileSync(join(LATEST, 'package.json'), '{ "private": true }');
	npm(['install', 'n8n-core@latest', '--no-package-lock'], LATEST);
	return [];
}

const isLatest = process.argv.includes('latest');
const folder = isLatest ? LATEST : OLDEST;
const chosen = isLatest ? installLatest() : installOldest();
run('npm', ['ls', 'n8n-core'], folder);
const expression = join(folder, 'node_modules/n8n-workflow/dist/cjs/expression.js');
const hasVm = readFileSync(expression, 'utf8').includes('initExpressionEngine');
const projects = ['--selectProjects', 'legacy', ...(hasVm ? ['vm'] : [])];
// Older versions of n8n-core keep connections open.
const args = [...projects, '--forceExit', ...chosen];
if (!run('jest', args, ROOT, { N8N_ENGINE_FOLDER: folder })) process.exitCode = 1;
