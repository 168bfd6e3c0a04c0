// n8n's verification scan, on the source tree and on what a user's install gets. Unlike the scan on
// publishing, a warning counts as well.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import {
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

// The scanner's own eslint, of the version that it is written for.
const { ESLint } = createRequire(
	createRequire(import.meta.url).resolve('@n8n/scan-community-package/scanner/scanner.mjs'),
)('eslint');

const root = resolve(import.meta.dirname, '../..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

async function scan(label, cwd, patterns) {
	const eslint = new ESLint({
		cwd,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const results = await eslint.lintFiles(patterns);
	const found = results.reduce(
		(sum, { errorCount, warningCount }) => sum + errorCount + warningCount,
		0,
	);
	console.log(`scan of ${label}: ${results.length} files, ${found} findings`);
	if (found > 0) console.log(await (await eslint.loadFormatter('stylish')).format(results));
	return found;
}

const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-scan-'));
try {
	execFileSync(npm, ['run', 'build', '--silent'], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	execFileSync(npm, ['pack', '--silent', '--pack-destination', folder], {
		cwd: root,
		stdio: 'ignore',
	});
	const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	execFileSync('tar', ['-xzf', tarball], { cwd: folder });
	const findings =
		(await scan('the source', root, SOURCE_FILE_PATTERNS)) +
		(await scan('the package', join(folder, 'package'), ['**/*.js', 'package.json']));
	process.exitCode = findings === 0 ? 0 : 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
