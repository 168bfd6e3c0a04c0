import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { messageOf, textAt } from '../sandbox/guards';
import { hasRelease, releaseChangelog } from './release/changelog';

const USAGE = `Usage: npm run release -- patch | minor | major [--dry-run]
       npm run release -- --check-tag TAG

Checks that everything is committed and that the tests pass, raises the version, moves what is
unreleased in CHANGELOG.md to it, commits and tags. Pushing the tag publishes the package.

  --dry-run     checks, and shows what the release would be
  --check-tag   checks that a tag is that of the present version`;

const ROOT = resolve(__dirname, '..');
const CHANGELOG = resolve(ROOT, 'CHANGELOG.md');
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

const say = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

/** Runs a command and gives what it wrote; with `shown`, that goes to the terminal instead. */
function run(command: string, args: string[], shown = false): string {
	const { status, stdout } = spawnSync(command, args, {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', shown ? 'inherit' : 'pipe', 'inherit'],
		shell: process.platform === 'win32',
	});
	if (status !== 0) throw new Error(`'${command} ${args.join(' ')}' did not end well.`);
	return (stdout ?? '').trim();
}

function presentVersion(): string {
	const parsed: unknown = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
	return textAt(parsed, 'version', 'package.json');
}

/** The version after the present one: `1.2.3` with `minor` gives `1.3.0`. */
function nextVersion(kind: string): string {
	const [major = 0, minor = 0, patch = 0] = presentVersion().split('.').map(Number);
	if (kind === 'major') return `${major + 1}.0.0`;
	if (kind === 'minor') return `${major}.${minor + 1}.0`;
	if (kind === 'patch') return `${major}.${minor}.${patch + 1}`;
	throw new Error(USAGE);
}

function checkTag(tag: string): void {
	const version = presentVersion();
	if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, the version is ${version}.`);
	if (!hasRelease(readFileSync(CHANGELOG, 'utf8'), version)) {
		throw new Error(`CHANGELOG.md has no section for ${version}.`);
	}
	say(`${tag} is the tag of the present version.`);
}

function release(kind: string, dryRun: boolean): void {
	const version = nextVersion(kind);
	const today = new Date().toISOString().slice(0, 10);
	const changelog = releaseChangelog(readFileSync(CHANGELOG, 'utf8'), version, today);
	const changed = run('git', ['status', '--porcelain']);
	if (changed !== '') throw new Error(`Commit these changes first:\n${changed}`);
	if (run('git', ['tag', '--list', `v${version}`]) !== '') {
		throw new Error(`The tag v${version} exists already.`);
	}
	run('npm', ['test'], true);
	run('npm', ['run', 'scan'], true);
	if (dryRun)
		return say(`\nThe release would be v${version}, dated ${today}. Nothing was changed.`);
	run('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts']);
	writeFileSync(CHANGELOG, changelog);
	run('git', ['add', ...FILES]);
	run('git', ['commit', '--quiet', '--message', `Release ${version}`]);
	run('git', ['tag', '--annotate', `v${version}`, '--message', `Release ${version}`]);
	say(`\nv${version} is committed and tagged. To publish it: git push --follow-tags`);
}

function main(): void {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { 'dry-run': { type: 'boolean' }, 'check-tag': { type: 'string' } },
	});
	if (values['check-tag'] !== undefined) return checkTag(values['check-tag']);
	const [kind = '', ...rest] = positionals;
	if (rest.length > 0) throw new Error(USAGE);
	release(kind, values['dry-run'] === true);
}

try {
	main();
} catch (cause) {
	process.stderr.write(`${messageOf(cause)}\n`);
	process.exitCode = 1;
}
