import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';

/** The project's root folder. */
export const rootFolder = resolve(__dirname, '../..');

/**
 * The folder with the package.json and lock file of the real n8n: by default the one that the project
 * develops with, with N8N_VERSION=oldest the oldest one that is supported.
 */
export const n8nFolder = n8nFolderOf(process.env.N8N_VERSION);

function n8nFolderOf(version = 'newest'): string {
	if (version === 'newest') return __dirname;
	if (version === 'oldest') return join(__dirname, 'oldest');
	throw new Error(`N8N_VERSION cannot be '${version}'. Set it to newest or oldest.`);
}

const oldestNode = 24;

const majorOf = (version: string): number => Number.parseInt(version, 10);

const nodePackageFolder = (): string => dirname(require.resolve('node/package.json'));

/**
 * The Node.js binary that n8n runs on: the running one when it is new enough, else the one of the
 * `node` development dependency.
 */
export function nodeBinary(): string {
	if (majorOf(process.versions.node) >= oldestNode) return process.execPath;
	const name = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(nodePackageFolder(), 'bin', name);
}

/** The major version of {@link nodeBinary}; compiled modules do not work on any other one. */
export function nodeMajor(): number {
	return Math.max(majorOf(process.versions.node), oldestNode);
}

/**
 * The folder that holds the C++ headers (`include/node`) of the `node` development dependency, for
 * compiling native modules; undefined where that platform's package carries none.
 */
export function nodeHeaders(): string | undefined {
	const platformPackage = `node-${process.platform}-${process.arch}`;
	const parent = nodePackageFolder();
	return [
		join(parent, 'node_modules', platformPackage),
		join(dirname(parent), platformPackage),
	].find((folder) => existsSync(join(folder, 'include', 'node', 'node.h')));
}

const npmCandidates = (folder: string): string[] => [
	join(folder, 'npm'),
	join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
];

/**
 * The script of the npm in use, to be run with {@link nodeBinary}: a script, unlike the `npm`
 * command, needs no shell on any system.
 * @throws when no npm can be found
 */
export function npmScript(): string {
	const fromNpm = process.env.npm_execpath;
	if (fromNpm && basename(fromNpm) === 'npm-cli.js') return fromNpm;
	const found = (process.env.PATH ?? '')
		.split(delimiter)
		.flatMap(npmCandidates)
		.filter((path) => existsSync(path))
		.map((path) => realpathSync(path))
		.find((path) => basename(path) === 'npm-cli.js');
	if (!found) throw new Error('npm was not found. Install it, and make sure that it is on PATH.');
	return found;
}

/** PATH with the folder of {@link nodeBinary} in front, so that children's scripts run on it too. */
export function pathWithNode(): string {
	return [dirname(nodeBinary()), process.env.PATH ?? ''].join(delimiter);
}
