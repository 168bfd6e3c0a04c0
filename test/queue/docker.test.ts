import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';

import { isRecord, textAt } from '../../sandbox/guards';
import { ensureN8n, n8nScript } from '../../sandbox/n8n/install';
import { PACKAGE } from '../../sandbox/names';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const MODULES = dirname(dirname(dirname(n8nScript)));
/** Variables of Node.js and of other images; n8n reads them nowhere itself. */
const NOT_OF_N8N = ['NODE_EXTRA_CA_CERTS'];

/** The text of every script that n8n consists of, apart from its nodes. */
function scriptsIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
		.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
}

let known: Set<string>;
beforeAll(async () => {
	await ensureN8n();
	const folders = ['n8n/dist', ...['config', 'backend-common', 'backend-network'].map(ours)];
	const text = folders.flatMap((folder) => scriptsIn(join(MODULES, folder))).join('\n');
	known = new Set(text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g));
}, 1_800_000);
const ours = (name: string) => `@n8n/${name}/dist`;
const unknown = (names: string[]) => names.filter((name) => !known.has(name));

const compose: unknown = parse(read('docker/compose.yaml'), { merge: true });
const at = (value: unknown, ...keys: string[]): unknown =>
	keys.reduce((found: unknown, key) => (isRecord(found) ? found[key] : undefined), value);
const variablesOf = (service: string) => {
	const environment = at(compose, 'services', service, 'environment');
	return isRecord(environment) ? Object.keys(environment) : [];
};

describe('compose.yaml', () => {
	test('gives main and workers the same variables, which n8n knows', () => {
		const main = variablesOf('main');
		const worker = variablesOf('worker');
		expect(main.length).toBeGreaterThan(8);
		expect(worker.filter((name) => !main.includes(name))).toEqual(['QUEUE_HEALTH_CHECK_ACTIVE']);
		expect(main.filter((name) => !worker.includes(name))).toEqual(['WEBHOOK_URL']);
		expect(unknown([...main, ...worker])).toEqual([]);
	});

	test('holds no secret: each comes from .env, which the example lists without a value', () => {
		const wanted = [...read('docker/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
		const listed = [...read('docker/.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
		expect(listed.sort()).toEqual([...new Set(wanted)].sort());
	});

	test('waits for Redis and Postgres to be healthy, and asks each container for its health', () => {
		const services = at(compose, 'services');
		const names = isRecord(services) ? Object.keys(services) : [];
		expect(names.sort()).toEqual(['main', 'postgres', 'redis', 'worker']);
		for (const name of names) expect(at(services, name, 'healthcheck', 'test')).toBeDefined();
		for (const name of ['main', 'worker']) {
			expect(at(services, name, 'depends_on')).toEqual({
				postgres: { condition: 'service_healthy' },
				redis: { condition: 'service_healthy' },
			});
		}
	});
});

describe('the Dockerfile', () => {
	test('takes the n8n that the tests run, and puts the package where n8n looks for it', () => {
		const manifest: unknown = JSON.parse(readFileSync(join(MODULES, 'n8n/package.json'), 'utf8'));
		const version = textAt(manifest, 'version', 'n8n');
		expect(read('docker/Dockerfile')).toContain(`FROM n8nio/n8n:${version}\n`);
		expect(read('docker/Dockerfile')).toContain(`.n8n/nodes/node_modules/${PACKAGE} `);
		expect(read('docker/compose.yaml')).toContain(
			`image: n8n-with-workflow-instance-service:${version}\n`,
		);
	});
});

describe('docs/operations.md', () => {
	const page = read('docs/operations.md');

	test('names only variables that n8n knows', () => {
		const named = page.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
		const inProse = named.filter((name) => !name.startsWith('UNABLE_TO_'));
		expect(inProse.length).toBeGreaterThan(15);
		expect(unknown(inProse.filter((name) => !NOT_OF_N8N.includes(name)))).toEqual([]);
	});

	test('quotes lines of the log that n8n and the node write', () => {
		const sources = ['n8n/dist'].flatMap((folder) => scriptsIn(join(MODULES, folder)));
		const bundle = join(ROOT, 'nodes/WorkflowInstanceService');
		const own = readdirSync(bundle, { withFileTypes: true, recursive: true })
			.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
			.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
		const text = [...sources, ...own].join('\n');
		const quoted = [
			'Bulk Delete was stopped. ',
			'Workflow Instance Service did not expect this: ',
			'n8n detected that some packages are missing',
			'This execution failed to be processed too many times',
			'active executions to finish...',
			'Shutdown timed out after ',
		];
		expect(quoted.filter((line) => !page.includes(line))).toEqual([]);
		expect(quoted.filter((line) => !text.includes(line))).toEqual([]);
	});

	test('has the figures of the benchmark', () => {
		for (const items of ['1,000', '10,000', '50,000']) expect(page).toContain(`| ${items} `);
	});
});
