import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { isRecord, textAt } from '../../sandbox/guards';
import { nodeBinary, npmScript, pathWithNode } from '../../sandbox/n8n/paths';

/** The root folder of the project. */
export const ROOT = resolve(__dirname, '../..');

const BUILT_FROM = [
	...['package.json', 'README.md', 'LICENSE', 'tsconfig.json', 'gulpfile.js'],
	...['.ci', 'nodes', 'credentials'],
];

export function readJson(file: string): Record<string, unknown> {
	const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
	if (isRecord(parsed)) return parsed;
	throw new Error(`${file} holds no object.`);
}

/**
 * Copies what the package is built from, so that nobody's `dist` changes. The copy asks for the npm in
 * use, which need not be fetched.
 */
export function copyCheckout(folder: string): void {
	const isOurs = (path: string) => !path.includes('node_modules');
	for (const name of BUILT_FROM) {
		cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isOurs });
	}
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
	const manifest = readJson(join(folder, 'package.json'));
	const npm = readJson(join(dirname(npmScript()), '../package.json'));
	const packageManager = `npm@${textAt(npm, 'version', 'npm')}`;
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, packageManager }));
}

/** Runs a script of package.json in a folder, on the Node.js of the tests; gives what it wrote. */
export function runScript(folder: string, name: string, args: string[], timeZone = 'UTC') {
	const all = [npmScript(), 'run', '--silent', name, '--', ...args];
	const env = { ...process.env, PATH: pathWithNode(), TZ: timeZone };
	const options = { cwd: folder, env, encoding: 'utf8' } as const;
	const { status, stdout, stderr } = spawnSync(nodeBinary(), all, options);
	return { status, output: `${stdout}${stderr}` };
}
