// Shows that a package was built from this repository. `npm run verify` builds and packs this checkout and
// shows the hash; with `-- <package.tgz>` it compares the result with that package, and with
// `-- <version>` it builds the commit with the tag of that version and compares it with npm's.
// Fails unless both have the same files; how they are compressed may differ between machines.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { integrityOf, manifestOf, npm, pack } from './pack.mjs';

const root = resolve(import.meta.dirname, '..');
const [wanted] = process.argv.slice(2);

/** The content of all files of a package by their paths. */
function filesIn(tarball, folder) {
	mkdirSync(folder);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => !entry.isDirectory())
		.map(({ parentPath, name }) => join(parentPath, name));
	return new Map(files.map((path) => [relative(folder, path), readFileSync(path)]));
}

/** One line for each file that is not the same in both. */
function differences(built, given) {
	const paths = [...new Set([...built.keys(), ...given.keys()])].sort();
	return paths.flatMap((path) => {
		const name = path.replace(/^package\//, '');
		if (!built.has(path)) return `${name} is only in the package compared`;
		if (!given.has(path)) return `${name} is only in the package built`;
		return built.get(path).equals(given.get(path)) ? [] : `${name} differs`;
	});
}

/** @returns the package of npm for a version, and its commit in a folder of its own */
function published(version, folder) {
	const checkout = join(folder, 'checkout');
	const tag = `v${version}`;
	execFileSync('git', ['worktree', 'add', '--quiet', '--detach', checkout, tag], { cwd: root });
	npm(checkout, ['ci', '--loglevel=error']);
	npm(folder, ['pack', '--loglevel=error', `${manifestOf(root).name}@${version}`]);
	const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	return [join(folder, file), checkout];
}

function packHere() {
	const path = pack(root, root);
	console.log(`${path}\n${integrityOf(readFileSync(path))}`);
}

function compare(folder) {
	const [given, checkout] = wanted.endsWith('.tgz')
		? [resolve(wanted), root]
		: published(wanted, folder);
	const built = pack(checkout, mkdtempSync(join(folder, 'built-')));
	const [ours, theirs] = [built, given].map((path) => readFileSync(path));
	console.log(`built     ${integrityOf(ours)}\ncompared  ${integrityOf(theirs)}`);
	if (ours.equals(theirs)) console.log('The same, byte for byte.');
	else {
		const found = differences(filesIn(built, join(folder, 'a')), filesIn(given, join(folder, 'b')));
		for (const line of found) console.log(line);
		if (found.length === 0) console.log('The same files. Only how they are packed differs.');
		else process.exitCode = 1;
	}
}

if (wanted === undefined) packHere();
else {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-verify-'));
	try {
		compare(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
		execFileSync('git', ['worktree', 'prune'], { cwd: root, stdio: 'ignore' });
	}
}
