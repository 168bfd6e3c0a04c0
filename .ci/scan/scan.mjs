// What n8n checks before it verifies a package, as far as it can be checked before publishing: its
// scan of the source and of what a user's install gets, and the lint rules of n8n-node. Unlike
// there, a warning counts as well. `npm run scan -- <version>` is n8n's scan of what npm has.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { config as lintConfig } from '@n8n/node-cli/eslint';
import {
	analyzePackageByName,
	buildScanConfig,
	findPackageRoot,
	resolvePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '../..');
const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Checks files with a configuration of n8n, comments that switch rules off ignored. */
async function check(label, cwd, patterns, overrideConfig) {
	const eslint = new ESLint({
		cwd,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig,
	});
	const results = await eslint.lintFiles(patterns);
	const findings = results.flatMap(({ messages }) => messages).length;
	console.log(`${label}: ${results.length} files, ${findings} findings`);
	if (findings > 0) console.log(await (await eslint.loadFormatter('stylish')).format(results));
	return findings === 0;
}

/** n8n's own command ends well whatever it finds. */
async function scanPublished(version) {
	const { passed, message, details = '' } = await analyzePackageByName(name, version);
	console.log(passed ? `${name}@${version} passes n8n's scan` : `${message}\n${details}`);
	return passed;
}

async function scanCheckout(folder) {
	const npm = (...args) =>
		execFileSync(process.execPath, [process.env.npm_execpath, ...args, '--silent'], { cwd: root });
	npm('run', 'build');
	npm('pack', '--ignore-scripts', '--pack-destination', folder);
	execFileSync('tar', ['-xzf', readdirSync(folder)[0]], { cwd: folder });
	const packed = join(folder, 'package');
	const scanConfig = await buildScanConfig();
	// n8n finds the source by the name of the package.
	const isFound = resolvePackage(name).packageName === name && findPackageRoot(root, name) === root;
	if (!isFound) console.log(`n8n's scan doesn't find ${name} in this folder.`);
	const passed = [
		isFound,
		await check('scan of the source', root, SOURCE_FILE_PATTERNS, scanConfig),
		await check('scan of the package', packed, ['**/*.js', 'package.json'], scanConfig),
		await check('n8n-node lint', root, SOURCE_FILE_PATTERNS, lintConfig),
	];
	return passed.every(Boolean);
}

const [version] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-scan-'));
try {
	const passed = version ? await scanPublished(version) : await scanCheckout(folder);
	process.exitCode = passed ? 0 : 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
