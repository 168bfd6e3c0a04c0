import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';

import { textAt } from '../../sandbox/guards';
import { ensureN8n, n8nScript } from '../../sandbox/n8n/install';
import { PACKAGE } from '../../sandbox/names';

const ROOT = join(__dirname, '../..');
const MODULES = dirname(dirname(dirname(n8nScript)));
const VARIABLE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The text of all files in a folder, at any depth, whose names have this ending. */
function textIn(folder: string, end: string): string {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(end))
		.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
		.join('\n');
}

/** Every script that n8n consists of, apart from its nodes. */
let scripts: string;
beforeAll(async () => {
	await ensureN8n();
	const parts = ['n8n', '@n8n/config', '@n8n/backend-common', '@n8n/backend-network'];
	scripts = parts.map((part) => textIn(join(MODULES, part, 'dist'), '.js')).join('\n');
}, 1_800_000);

function unknown(names: string[]): string[] {
	const used = new Set(scripts.match(VARIABLE));
	return names.filter((name) => !used.has(name));
}

describe('compose.yaml', () => {
	const { main, worker } = parse(read('docker/compose.yaml'), { merge: true }).services;

	test('sets the same variables for main and workers, all of which n8n knows', () => {
		const both = { ...main.environment, ...worker.environment };
		const without = (names: object) => Object.keys(both).filter((name) => !(name in names));
		expect(Object.keys(main.environment).length).toBeGreaterThan(8);
		expect(without(main.environment)).toEqual(['QUEUE_HEALTH_CHECK_ACTIVE']);
		expect(without(worker.environment)).toEqual(['WEBHOOK_URL']);
		expect(unknown(Object.keys(both))).toEqual([]);
	});

	test('contains no secret: each comes from .env, and the example lists it without a value', () => {
		const wanted = [...read('docker/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
		const listed = [...read('docker/.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
		expect(listed.sort()).toEqual([...new Set(wanted)].sort());
	});

	test('uses the n8n that the tests run, like the Dockerfile, and puts the package in its place', () => {
		const manifest: unknown = JSON.parse(readFileSync(join(MODULES, 'n8n/package.json'), 'utf8'));
		const version = textAt(manifest, 'version', 'n8n');
		expect(read('docker/Dockerfile')).toContain(`FROM n8nio/n8n:${version}\n`);
		expect(read('docker/Dockerfile')).toContain(`.n8n/nodes/node_modules/${PACKAGE} `);
		const image = `n8n-with-workflow-instance-service:${version}`;
		expect([main.image, worker.image]).toEqual([image, image]);
	});
});
