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
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
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
	const found = results.reduce(
		(sum, { errorCount, warningCount }) => sum + errorCount + warningCount,
		0,
	);
	console.log(`${label}: ${results.length} files, ${found} findings`);
	if (found > 0) console.log(await (await eslint.loadFormatter('stylish')).format(results));
	return found;
}

/** The scan goes by the name: from the npm registry to the folder of the source. */
function checkName() {
	const found = resolvePackage(name).packageName === name && findPackageRoot(root, name) === root;
	console.log(`scan of the name: ${found ? 0 : 1} findings`);
	return found ? 0 : 1;
}

/** n8n's own command ends well whatever it finds. */
async function scanPublished(version) {
	const { passed, message, details = '' } = await analyzePackageByName(name, version);
	console.log(passed ? `${name}@${version} passes n8n's scan` : `${message}\n${details}`);
	return passed ? 0 : 1;
}

async function scanCheckout() {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-scan-'));
	try {
		const quiet = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
		execFileSync(npm, ['run', 'build', '--silent'], quiet);
		execFileSync(npm, ['pack', '--silent', '--pack-destination', folder], quiet);
		const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
		execFileSync('tar', ['-xzf', tarball], { cwd: folder });
		const scanConfig = await buildScanConfig();
		const patterns = ['**/*.js', 'package.json'];
		return (
			checkName() +
			(await check('scan of the source', root, SOURCE_FILE_PATTERNS, scanConfig)) +
			(await check('scan of the package', join(folder, 'package'), patterns, scanConfig)) +
			(await check('n8n-node lint', root, SOURCE_FILE_PATTERNS, lintConfig))
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const [version] = process.argv.slice(2);
const findings = version ? await scanPublished(version) : await scanCheckout();
process.exitCode = findings === 0 ? 0 : 1;
