// Shows that a package was built from this repository. `npm run verify` builds and packs this checkout and
// shows the hash; with `-- <package.tgz>` it compares the result with that package, and with
// `-- <version>` it builds the commit with the tag of that version and compares it with npm's.
// Fails unless both have the same files; how they are compressed may differ between machines.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// What others may do with a file is packed too.
process.umask(0o022);

const root = resolve(import.meta.dirname, '..');
const [wanted] = process.argv.slice(2);
const { npm_execpath: npmScript, npm_config_user_agent: agent = '' } = process.env;

/** Runs npm in a folder, on the Node.js of its lock file where it is installed. */
function npm(folder, ...args) {
	const stdio = ['ignore', 'pipe', 'inherit'];
	execFileSync(process.execPath, [npmScript, ...args], { cwd: folder, stdio });
}

const tarballIn = (folder) =>
	join(
		folder,
		readdirSync(folder).find((name) => /\.tgz$/.test(name)),
	);
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** As `npm view <package>@<version> dist.integrity` has it. */
const integrityOf = (content) => `sha512-${createHash('sha512').update(content).digest('base64')}`;

/**
 * Builds a checkout and packs it with the npm of its package.json: whoever does that gets the same bytes.
 *
 * @returns the path of the package, in `destination`
 */
function pack(folder, destination) {
	const { name, version, packageManager } = manifestOf(folder);
	const isPinned = agent.startsWith(`${packageManager.replace('@', '/')} `);
	const pinned = ['exec', '--yes', `--package=${packageManager}`, '--', 'npm'];
	const packing = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination'];
	npm(folder, 'run', 'build', '--silent');
	npm(folder, ...(isPinned ? [] : pinned), ...packing, destination);
	return join(destination, `${name}-${version}.tgz`);
}

/** @returns the package of npm for a version, and its commit in a folder of its own */
function published(version, folder) {
	const checkout = join(folder, 'checkout');
	const worktree = ['worktree', 'add', '--quiet', '--detach', checkout, `v${version}`];
	execFileSync('git', worktree, { cwd: root });
	npm(checkout, 'ci', '--loglevel=error');
	npm(folder, 'pack', '--loglevel=error', `${manifestOf(root).name}@${version}`);
	return [tarballIn(folder), checkout];
}

/** One line for each file that is not the same in both packages. */
function differences(folder, packages) {
	for (const [name, tarball] of Object.entries(packages)) {
		mkdirSync(join(folder, name));
		execFileSync('tar', ['-xzf', tarball, '-C', join(folder, name)]);
	}
	const args = ['diff', '--no-index', '--no-renames', '--name-status', ...Object.keys(packages)];
	const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
	if (status !== 0 && status !== 1) throw new Error(`git did not compare them. ${stderr}`);
	return stdout;
}

function compare(folder) {
	const isFile = wanted.endsWith('.tgz');
	const [compared, checkout] = isFile ? [resolve(wanted), root] : published(wanted, folder);
	const built = pack(checkout, mkdtempSync(join(folder, 'package-')));
	const [ours, theirs] = [built, compared].map((path) => readFileSync(path));
	console.log(`built     ${integrityOf(ours)}\ncompared  ${integrityOf(theirs)}`);
	if (ours.equals(theirs)) return console.log('The same, byte for byte.');
	const found = differences(folder, { built, compared });
	if (found === '') return console.log('The same files. Only how they are packed differs.');
	console.log(`M: differs, D: only in the package built, A: only in the one compared\n${found}`);
	process.exitCode = 1;
}

if (wanted === undefined) {
	const path = pack(root, root);
	console.log(`${path}\n${integrityOf(readFileSync(path))}`);
} else {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-verify-'));
	try {
		compare(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
		spawnSync('git', ['worktree', 'prune'], { cwd: root });
	}
}
