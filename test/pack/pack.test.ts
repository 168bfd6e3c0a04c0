import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { isRecord } from '../../sandbox/guards';
import { nodeBinary } from '../../sandbox/n8n/paths';
import { copyCheckout, readJson, ROOT, runScript } from './checkout';

const NODE = 'dist/nodes/WorkflowInstanceService';
const CREDENTIAL = 'dist/credentials/WorkflowInstanceServiceApi.credentials.js';
const PACKED = [
	...['LICENSE', 'README.md', 'package.json', CREDENTIAL],
	...[
		'WorkflowInstanceService.node.js',
		'WorkflowInstanceService.node.json',
		'WorkflowInstanceServiceTrigger.node.js',
		'WorkflowInstanceServiceTrigger.node.json',
		'__schema__/v1.0.0.json',
		'__schema__/v1.0.0/instance/bulkDelete.json',
		'__schema__/v1.0.0/instance/get.json',
		'__schema__/v1.0.0/instance/update.json',
		'shared.js',
		'workflowInstanceService.dark.svg',
		'workflowInstanceService.svg',
	].map((file) => `${NODE}/${file}`),
];

const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-pack-'));
const checkout = join(folder, 'one');
const elsewhere = join(folder, 'another one');
const tarball = join(folder, 'package.tgz');
/** Below the checkout, where what the package asks n8n for is found. */
const unpacked = join(checkout, 'unpacked', 'package');
const read = (file: string) => readFileSync(join(unpacked, file), 'utf8');
const packedManifest = () => readJson(join(unpacked, 'package.json'));
const scripts = PACKED.filter((file) => file.endsWith('.js'));
const code = () => scripts.map(read).join('\n');

/** Runs JavaScript in the folder of the packed files; gives what it wrote. */
function run(args: string[]): string {
	const options = { cwd: unpacked, encoding: 'utf8' } as const;
	const { status, stdout, stderr } = spawnSync(nodeBinary(), args, options);
	if (status !== 0) throw new Error(stderr);
	return stdout;
}

beforeAll(() => {
	for (const copy of [checkout, elsewhere]) copyCheckout(copy);
	const { status, output } = runScript(checkout, 'package', [checkout], 'Pacific/Kiritimati');
	if (status !== 0) throw new Error(output);
	const [path = ''] = output.split('\n');
	cpSync(path, tarball);
	mkdirSync(join(unpacked, '..'));
	spawnSync('tar', ['-xzf', tarball, '-C', join(unpacked, '..')]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = readJson(join(ROOT, 'package.json'));
const n8n = isRecord(manifest.n8n) ? manifest.n8n : {};

describe('the package that npm would publish', () => {
	test('holds what n8n loads and shows, README, LICENSE and package.json, and nothing else', () => {
		const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
			.filter((entry) => !entry.isDirectory())
			.map(({ parentPath, name }) => relative(unpacked, join(parentPath, name)));
		expect(files.sort()).toEqual(PACKED.sort());
		expect(PACKED).toEqual(expect.arrayContaining([n8n.nodes, n8n.credentials].flat()));
	});

	test('is smaller than 70 kB', () => {
		expect(statSync(tarball).size).toBeLessThan(70_000);
	});

	test('loads, and each file gives one class', () => {
		const names = JSON.stringify([n8n.nodes, n8n.credentials].flat());
		const script = `for (const file of ${names}) if (Object.keys(require('./' + file)).length !== 1) process.exit(1);`;
		expect(() => run(['-e', script])).not.toThrow();
	});

	test('lets runs of the node and polls of the trigger share one limiter', () => {
		cpSync(join(__dirname, 'sharedLimiter.cjs'), join(unpacked, 'sharedLimiter.cjs'));
		const answer: unknown = JSON.parse(run(['sharedLimiter.cjs']));
		// The limiter begins with 10 requests in flight; from then on they take turns.
		expect(answer).toEqual({
			atFirst: { ofTheRun: 10, ofThePoll: 0 },
			afterTwoResponses: { ofTheRun: 11, ofThePoll: 1 },
		});
	});
});

describe('npm run verify, in another folder and time zone', () => {
	const integrity = () => createHash('sha512').update(readFileSync(tarball)).digest('base64');

	// Each builds the package.
	const cases: Array<[string, number, string, string]> = [
		['names the file with a byte that was changed', 1, 'LICENSE differs\n', '1 files differ.'],
		['passes for the same files, compressed in another way', 0, '', 'The same files. Only how'],
	];
	test.each(cases.slice(0, process.env.LONG ? 2 : 1))('%s', (_, status, first, last) => {
		const tar = gunzipSync(readFileSync(tarball));
		if (status > 0) tar.write('?', tar.indexOf('Permission is'));
		const given = join(folder, 'given.tgz');
		writeFileSync(given, gzipSync(tar, { level: 1 }));
		const verified = runScript(elsewhere, 'verify', [given], 'America/St_Johns');
		expect(verified.status).toBe(status);
		const [differing, , words] = verified.output.split(/^built.*\n|^compared.*\n/m);
		expect([differing, words]).toEqual([first, expect.stringContaining(last)]);
		expect(verified.output).toContain(`built     sha512-${integrity()}\n`);
	});
});

/** What SECURITY.md says under "Check the package", and what holds it there. */
const CLAIMS: Array<[words: string, check: () => void]> = [
	[
		'contacts only the host of your Base URL',
		() => {
			expect(new Set(code().match(/\bhelpers\.\w+/g))).toEqual(
				new Set(['helpers.httpRequestWithAuthentication']),
			);
			expect(code().match(/\b(fetch\(|XMLHttpRequest|WebSocket|EventSource)/)?.[0]).toBeUndefined();
			const sign = `new (require('./${CREDENTIAL}').WorkflowInstanceServiceApi)().authenticate`;
			const credential = { baseUrl: 'https://service.example/api', apiKey: 'key-of-a-test' };
			const request = { url: 'https://other.example/api/instances/1/', headers: {} };
			const call = `${sign}(...${JSON.stringify([credential, request])})`;
			const heard = run(['-e', `${call}.then(console.log, (error) => console.log(error.message))`]);
			expect(heard).toMatch(/^This credential .* used with https:\/\/service\.example, not with /);
		},
	],
	[
		'no dependencies and no install scripts',
		() => {
			const { scripts, peerDependencies, ...others } = packedManifest();
			expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
			const kinds = Object.keys(others).filter((key) => /dependencies|overrides|^bin$/i.test(key));
			expect(kinds).toEqual(['devDependencies']);
			const onInstall = /^(pre|post)?(un)?install$|prepare$|^prepublish|^dependencies$/;
			expect(Object.keys(Object(scripts)).filter((key) => onInstall.test(key))).toEqual([]);
		},
	],
	[
		'no files and no environment variables',
		() => {
			const loaded = [...code().matchAll(/\brequire\("([^"]*)"\)/g)].map(([, name]) => name);
			expect([...new Set(loaded)].sort()).toEqual(['./shared', 'crypto', 'luxon', 'n8n-workflow']);
			expect(code().match(/\brequire\b/g)).toHaveLength(loaded.length);
			const others = /\bimport\(|\bprocess[.[]\w|\bglobal(This)?[.[]|__(dir|file)name/;
			expect(code().match(others)?.[0]).toBeUndefined();
		},
	],
	[
		'npm run verify -- <version>',
		() => expect(packedManifest()).toHaveProperty('scripts.verify', 'node .ci/verify.mjs'),
	],
	[
		'npm audit signatures',
		() => expect(packedManifest()).toHaveProperty('publishConfig.provenance', true),
	],
];

describe('what SECURITY.md says under "Check the package"', () => {
	test.each(CLAIMS)('%s', (_, check) => check());

	test('is that and nothing else', () => {
		const security = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
		const [, section = ''] = security.split('\n## Check the package\n');
		const claims = section.split('\n- ').slice(1);
		expect(claims).toEqual(CLAIMS.map(([words]) => expect.stringContaining(words)));
	});
});
