import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { lock } from 'proper-lockfile';

import { isRecord } from '../guards';
import { installMessage } from './installMessages';
import { startNpm } from './npm';
import { n8nFolder, nodeMajor, rootFolder } from './paths';
import { startNode } from './process';
import type { OwnedProcess } from './process';

export type InstallPhase = 'wait' | 'install' | 'rebuild' | 'check';

export interface InstallProgress {
	/** `wait`: another process is installing; then the three phases in their order. */
	phase: InstallPhase;
	/** Seconds since the phase began. */
	seconds: number;
	/** In the phase `install`: packages unpacked so far, and in all. */
	packages?: { done: number; total: number };
}

export interface InstallOptions {
	/** Called about once a second while there is anything to do. */
	onProgress?: (progress: InstallProgress) => void;
}

const modulesFolder = join(n8nFolder, 'node_modules');
const markerFile = join(modulesFolder, '.sandbox-installed');
const tickMs = 1_000;
const lockfilePath = join(rootFolder, 'node_modules', '.sandbox-n8n-install.lock');
const untilFree = { forever: true, factor: 1, minTimeout: tickMs };

/** The script that starts the installed n8n. */
export const n8nScript = join(modulesFolder, 'n8n', 'bin', 'n8n');

const nativeModules = ['sqlite3', 'isolated-vm'];
const installArgs = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--prefer-offline'];
// A small package that n8n depends on too: whatever serves it can serve the installation.
const probeArgs = ['view', 'isexe', 'version', '--prefer-online'];
const probeFlags = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000'];
const rebuildArgs = ['rebuild', ...nativeModules, '--ignore-scripts=false'];
const checkScript = nativeModules.map((name) => `require('${name}')`).join(';');

/** What an installation depends on: when this changes, it is made again. */
function installationKey(): string {
	const hash = createHash('sha256');
	for (const name of ['package.json', 'package-lock.json']) {
		hash.update(readFileSync(join(n8nFolder, name)));
	}
	return `${hash.digest('hex')} ${process.platform}-${process.arch} node-${nodeMajor()}\n`;
}

/** True when the n8n of the lock file is installed, completely, for the Node.js in use. */
export function n8nIsInstalled(): boolean {
	return existsSync(markerFile) && readFileSync(markerFile, 'utf8') === installationKey();
}

function requiredPackages(): string[] {
	const lock: unknown = JSON.parse(readFileSync(join(n8nFolder, 'package-lock.json'), 'utf8'));
	const packages = isRecord(lock) && isRecord(lock.packages) ? lock.packages : {};
	return Object.entries(packages)
		.filter(([path, entry]) => path !== '' && isRecord(entry) && entry.optional !== true)
		.map(([path]) => join(n8nFolder, path, 'package.json'));
}

async function countExisting(paths: string[]): Promise<number> {
	const found = await Promise.allSettled(paths.map(async (path) => await access(path)));
	return found.filter(({ status }) => status === 'fulfilled').length;
}

type Report = (seconds: number) => void;

/** Reports once a second how long the work has taken so far. */
async function reporting<T>(work: Promise<T>, report: Report): Promise<T> {
	const started = Date.now();
	const tick = () => report(Math.round((Date.now() - started) / 1_000));
	const timer = setInterval(tick, tickMs);
	return await work.finally(() => clearInterval(timer));
}

async function follow(
	phase: Exclude<InstallPhase, 'wait'>,
	child: OwnedProcess,
	report: Report,
): Promise<void> {
	report(0);
	const { code } = await reporting(child.exited, report);
	if (code !== 0) throw new Error(installMessage(phase, child.output()));
}

/**
 * npm's output if a small package couldn't be fetched from the registry; undefined if it could.
 * Without this probe npm tries each of the packages for minutes before it gives up.
 */
async function probeRegistry(): Promise<string | undefined> {
	const probe = startNpm([...probeArgs, ...probeFlags], n8nFolder);
	const { code } = await probe.exited;
	return code === 0 ? undefined : probe.output();
}

async function installPackages(onProgress: InstallOptions['onProgress']): Promise<void> {
	const files = requiredPackages();
	const report: Report = (seconds) => {
		void countExisting(files).then((done) =>
			onProgress?.({ phase: 'install', seconds, packages: { done, total: files.length } }),
		);
	};
	report(0);
	const unreachable = await probeRegistry();
	// npm's cache may hold everything from an earlier time.
	const args = unreachable ? [...installArgs, '--offline'] : installArgs;
	await follow('install', startNpm(args, n8nFolder), report).catch((error: unknown) => {
		throw unreachable ? new Error(installMessage('install', unreachable)) : error;
	});
}

async function install({ onProgress }: InstallOptions): Promise<void> {
	rmSync(markerFile, { force: true });
	await installPackages(onProgress);
	await follow('rebuild', startNpm(rebuildArgs, n8nFolder), (seconds) =>
		onProgress?.({ phase: 'rebuild', seconds }),
	);
	const check = startNode(['--eval', checkScript], { cwd: n8nFolder, env: process.env });
	await follow('check', check, (seconds) => onProgress?.({ phase: 'check', seconds }));
	writeFileSync(markerFile, installationKey());
}

/**
 * Makes sure that the n8n of `package-lock.json` is installed beside this file. Returns at once when
 * it is; else installs it, which takes minutes. An interrupted installation leaves no marker and is
 * made again; callers in several processes wait for the one that came first.
 * @throws when it cannot be installed; the message says why and what to do
 */
export async function ensureN8n(options: InstallOptions = {}): Promise<void> {
	if (n8nIsInstalled()) return;
	const free = lock(n8nFolder, { lockfilePath, retries: untilFree });
	const release = await reporting(free, (seconds) =>
		options.onProgress?.({ phase: 'wait', seconds }),
	);
	try {
		if (!n8nIsInstalled()) await install(options);
	} finally {
		await release();
	}
}
