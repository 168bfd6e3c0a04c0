import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import execa from 'execa';

import { isRecord } from '../../sandbox/guards';

const ROOT = resolve(__dirname, '../..');
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
const BUILT_FROM = [
	...['package.json', 'README.md', 'LICENSE', 'tsconfig.json', 'gulpfile.js'],
	...['.ci', 'nodes', 'credentials'],
];

const folder = fs.mkdtempSync(join(tmpdir(), 'workflow-instance-service-pack-'));
const checkout = join(folder, 'one');
const elsewhere = join(folder, 'another one');
const unpacked = join(folder, 'package');
let tarball: string;
const read = (file: string) => fs.readFileSync(join(unpacked, file), 'utf8');
const code = () =>
	PACKED.filter((file) => file.endsWith('.js'))
		.map(read)
		.join('\n')
		// Comments with file names.
		.replace(/^\/\/.*$/gm, '');

function readJson(file: string): Record<string, unknown> {
	const parsed: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
	return isRecord(parsed) ? parsed : {};
}

/** Runs a command on the Node.js of the lock file. */
function run(command: string, args: string[], cwd: string, TZ = 'UTC') {
	const local = { preferLocal: true, localDir: ROOT, reject: false } as const;
	const { exitCode, stdout, stderr } = execa.sync(command, args, { cwd, env: { TZ }, ...local });
	return { exitCode, output: [stdout, stderr].filter(Boolean).join('\n') };
}

/**
 * Copies what the package is built from, so that nobody's `dist` changes. The copy requires the npm version
 * in use, which doesn't have to be downloaded.
 */
function copyCheckout(target: string): void {
	const isOurs = (path: string) => !path.includes('node_modules');
	for (const name of BUILT_FROM) {
		fs.cpSync(join(ROOT, name), join(target, name), { recursive: true, filter: isOurs });
	}
	fs.symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'), 'junction');
	const packageManager = `npm@${execa.sync('npm', ['--version']).stdout}`;
	const manifest = { ...readJson(join(target, 'package.json')), packageManager };
	fs.writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
}

beforeAll(() => {
	for (const copy of [checkout, elsewhere]) copyCheckout(copy);
	const packing = ['run', '--silent', 'verify'];
	const { exitCode, output } = run('npm', packing, checkout, 'Pacific/Kiritimati');
	if (exitCode !== 0) throw new Error(output);
	const [packed = ''] = fs.readdirSync(checkout).filter((file) => file.endsWith('.tgz'));
	tarball = join(checkout, packed);
	run('tar', ['-xzf', tarball, '-C', folder], folder);
}, 120_000);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('The package contains what n8n loads and shows, README, LICENSE and package.json, and nothing else', () => {
	const files = fs
		.readdirSync(unpacked, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map(({ parentPath, name }) => relative(unpacked, join(parentPath, name)));
	expect(files.sort()).toEqual(PACKED.sort());
	const { n8n } = readJson(join(ROOT, 'package.json'));
	const { nodes, credentials } = isRecord(n8n) ? n8n : {};
	expect(PACKED).toEqual(expect.arrayContaining([nodes, credentials].flat()));
});

test('The package signs requests in one shared file, so that runs and polls share its limits', () => {
	const signing = PACKED.filter(
		(file) => file.endsWith('.js') && read(file).includes('httpRequestWithAuthentication'),
	);
	expect(signing).toEqual([`${NODE}/shared.js`]);
});

test('The package depends on nothing but n8n-workflow, and runs nothing when it is installed', () => {
	const manifest = readJson(join(unpacked, 'package.json'));
	const kinds = Object.keys(manifest).filter((key) => /dependencies|overrides|^bin$/i.test(key));
	expect(kinds.sort()).toEqual(['devDependencies', 'peerDependencies']);
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	const onInstall = /^(pre|post)?(un)?install$|prepare$|^prepublish|^dependencies$/;
	const { scripts } = manifest;
	expect(Object.keys(scripts ?? {}).filter((key) => onInstall.test(key))).toEqual([]);
});

test('The package reads no files and no environment variables, and only sends requests through n8n', () => {
	const loaded = [...code().matchAll(/\brequire\("([^"]*)"\)/g)].map(([, name]) => name);
	expect([...new Set(loaded)].sort()).toEqual(['./shared', 'crypto', 'luxon', 'n8n-workflow']);
	expect(code().match(/\brequire\b/g)).toHaveLength(loaded.length);
	const others =
		/\bimport\(|\bprocess[.[]\w|\bglobal(This)?[.[]|__(dir|file)name|\bfetch\(|XMLHttpRequest|WebSocket|EventSource/;
	expect(code().match(others)?.[0]).toBeUndefined();
});

test('npm run verify builds the same bytes anywhere, and names the file that differs in another package', () => {
	const tar = gunzipSync(fs.readFileSync(tarball));
	tar.write('?', tar.indexOf('Permission is'));
	const given = join(folder, 'given.tgz');
	fs.writeFileSync(given, gzipSync(tar));
	const verifying = ['run', '--silent', 'verify', '--', given];
	const { exitCode, output } = run('npm', verifying, elsewhere, 'America/St_Johns');
	expect(exitCode).toBe(1);
	expect(output.match(/^[ADM]\t.*$/gm)).toEqual(['M\tbuilt/package/LICENSE']);
	const integrity = createHash('sha512').update(fs.readFileSync(tarball)).digest('base64');
	expect(output).toContain(`built     sha512-${integrity}`);
});
