// Builds a package again and compares it: `npm run verify -- <package.tgz>` builds this checkout,
// `npm run verify -- <version>` the commit with the tag of that version, to compare it with npm's.
// Fails unless both have the same files; how they are compressed may differ between machines.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { integrityOf, manifestOf, npm, pack } from './pack.mjs';

const root = resolve(import.meta.dirname, '..');
const [wanted] = process.argv.slice(2);
const BLOCK = 512;

/** What an entry of a tar archive is and holds, by its path. Owner and time are left out. */
function readEntry(tar, at) {
	const text = (from, length) =>
		tar.toString('utf8', at + from, at + from + length).replace(/\0[^]*/, '');
	const size = Number.parseInt(text(124, 12), 8);
	const content = tar.subarray(at + BLOCK, at + BLOCK + size);
	if (content.length !== size) throw new Error('One of the packages is cut off.');
	const isExecutable = (Number.parseInt(text(100, 8), 8) & 0o111) !== 0;
	return {
		path: join(text(345, 155), text(0, 100)).replace(/^package\//, ''),
		file: [text(156, 1), text(157, 100), isExecutable, integrityOf(content)].join(),
		next: at + BLOCK + Math.ceil(size / BLOCK) * BLOCK,
	};
}

/** All files of a package by their paths; of a path that comes twice, both. */
function filesIn(tarball) {
	const tar = gunzipSync(tarball);
	const files = new Map();
	for (let at = 0; at < tar.length; ) {
		const isEmpty = tar.subarray(at, at + BLOCK).every((byte) => byte === 0);
		const { path, file, next } = isEmpty ? { next: at + BLOCK } : readEntry(tar, at);
		if (!isEmpty) files.set(path, [files.get(path), file].join('\n'));
		at = next;
	}
	return files;
}

/** One line for each file that is not the same in both. */
function differences(built, given) {
	const paths = [...new Set([...built.keys(), ...given.keys()])].sort();
	return paths.flatMap((path) => {
		if (!built.has(path)) return `${path} is only in the package compared`;
		if (!given.has(path)) return `${path} is only in the package built`;
		return built.get(path) === given.get(path) ? [] : `${path} differs`;
	});
}

/** @returns the package of npm for a version, and its commit in a folder of its own */
function published(version, folder) {
	const { name } = manifestOf(root);
	const checkout = join(folder, 'checkout');
	execFileSync('git', ['worktree', 'add', '--quiet', '--detach', checkout, `v${version}`], {
		cwd: root,
	});
	npm(checkout, ['ci', '--loglevel=error']);
	npm(folder, ['pack', '--loglevel=error', `${name}@${version}`]);
	return [readdirSync(folder).find((file) => file.endsWith('.tgz')), checkout];
}

if (!wanted) throw new Error('Name a package or a version: npm run verify -- 1.0.0');
const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-verify-'));
try {
	const isFile = wanted.endsWith('.tgz');
	const [path, checkout] = isFile ? [resolve(wanted), root] : published(wanted, folder);
	const given = readFileSync(resolve(folder, path));
	const built = readFileSync(pack(checkout, mkdtempSync(join(folder, 'built-'))));
	const found = differences(filesIn(built), filesIn(given));
	for (const line of found) console.log(line);
	console.log(`built     ${integrityOf(built)}\ncompared  ${integrityOf(given)}`);
	if (found.length > 0) console.log(`${found.length} files differ.`);
	else if (built.equals(given)) console.log('The same, byte for byte.');
	else console.log('The same files. Only how they are packed differs.');
	process.exitCode = found.length === 0 ? 0 : 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
	if (!wanted.endsWith('.tgz')) execFileSync('git', ['worktree', 'prune'], { cwd: root });
}
