import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { isRecord, textAt } from '../../sandbox/guards';
import { nodeBinary, npmScript } from '../../sandbox/n8n/paths';
import { packedIn } from './npmPack';

const ROOT = resolve(__dirname, '../..');
const COPIED = [
	'package.json',
	'README.md',
	'LICENSE',
	'tsconfig.json',
	'gulpfile.js',
	'nodes',
	'credentials',
];
const NODE = 'dist/nodes/WorkflowInstanceService';
const PACKED = [
	'LICENSE',
	'README.md',
	'package.json',
	'dist/credentials/WorkflowInstanceServiceApi.credentials.js',
	`${NODE}/WorkflowInstanceService.node.js`,
	`${NODE}/WorkflowInstanceService.node.json`,
	`${NODE}/WorkflowInstanceServiceTrigger.node.js`,
	`${NODE}/WorkflowInstanceServiceTrigger.node.json`,
	`${NODE}/__schema__/v1.0.0.json`,
	`${NODE}/__schema__/v1.0.0/instance/bulkDelete.json`,
	`${NODE}/__schema__/v1.0.0/instance/get.json`,
	`${NODE}/__schema__/v1.0.0/instance/update.json`,
	`${NODE}/shared.js`,
	`${NODE}/workflowInstanceService.dark.svg`,
	`${NODE}/workflowInstanceService.svg`,
];
const LARGEST_PACKAGE = 60_000;

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const GULP = join(ROOT, 'node_modules/gulp/bin/gulp.js');

function runNode(cwd: string, args: string[]): string {
	const { status, stdout, stderr } = spawnSync(nodeBinary(), args, { cwd, encoding: 'utf8' });
	if (status !== 0) throw new Error(`${args.join(' ')}\n${stdout}\n${stderr}`);
	return stdout;
}

/** Builds and packs in a folder apart, so that nobody's `dist` changes. */
function pack(folder: string): { size: number; files: string[] } {
	for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
	runNode(folder, [TSC]);
	runNode(folder, [GULP, '--silent']);
	const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
	const packed = packedIn(runNode(folder, [npmScript(), ...args]));
	if (!Array.isArray(packed.files)) throw new Error('npm packed nothing.');
	const files = packed.files.map((file: unknown) => textAt(file, 'path', 'A packed file'));
	return { size: Number(packed.size), files };
}

describe('the package that npm would publish', () => {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-pack-'));
	let packed: { size: number; files: string[] };
	beforeAll(() => {
		packed = pack(folder);
	}, 120_000);
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
	const n8n = isRecord(manifest) && isRecord(manifest.n8n) ? manifest.n8n : {};

	test('holds what n8n loads and shows, README, LICENSE and package.json, and nothing else', () => {
		expect(packed.files.sort()).toEqual(PACKED.sort());
		expect(PACKED).toEqual(expect.arrayContaining([n8n.nodes, n8n.credentials].flat()));
	});

	test('is smaller than 60 kB', () => {
		expect(packed.size).toBeLessThan(LARGEST_PACKAGE);
	});

	test('depends on nothing but the n8n that it runs in', () => {
		expect(manifest).toMatchObject({ peerDependencies: { 'n8n-workflow': '*' } });
		for (const key of [
			'dependencies',
			'optionalDependencies',
			'bundledDependencies',
			'overrides',
		]) {
			expect(manifest).not.toHaveProperty(key);
		}
	});

	test('loads, and each file gives one class', () => {
		const names = JSON.stringify([n8n.nodes, n8n.credentials].flat());
		const script = `for (const file of ${names}) if (Object.keys(require('./' + file)).length !== 1) process.exit(1);`;
		expect(() => runNode(folder, ['-e', script])).not.toThrow();
	});

	test('lets runs of the node and polls of the trigger share one limiter', () => {
		cpSync(join(__dirname, 'sharedLimiter.cjs'), join(folder, 'sharedLimiter.cjs'));
		const answer: unknown = JSON.parse(runNode(folder, ['sharedLimiter.cjs']));
		// The limiter begins with 10 requests in flight; from then on they take turns.
		expect(answer).toEqual({
			atFirst: { ofTheRun: 10, ofThePoll: 0 },
			afterTwoResponses: { ofTheRun: 11, ofThePoll: 1 },
		});
	});
});
