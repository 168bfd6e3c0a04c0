const { readdirSync, rmSync } = require('node:fs');
const { join, relative } = require('node:path');

const { build } = require('esbuild');
const { dest, parallel, src } = require('gulp');

const { n8n } = require('./package.json');

const copy = (patterns, name) => {
	const task = () => src(patterns, { base: '.', encoding: false }).pipe(dest('dist'));
	task.displayName = name;
	return task;
};

const icons = copy('nodes/**/*.svg', 'icons');
const codex = copy('nodes/**/*.node.json', 'codex');
const schemas = copy('nodes/**/__schema__/**/*.json', 'schemas');

/** What both nodes load when they are loaded, so that a process has it once. */
const SHARED = 'nodes/WorkflowInstanceService/shared.js';

/** The files that n8n is told of, and what they share. It loads them faster than all that they are made of. */
async function bundle() {
	const told = [...n8n.credentials, ...n8n.nodes].map((file) => relative('dist', file));
	const loaded = [...told, SHARED];
	await build({
		entryPoints: loaded.map((file) => file.replace(/js$/, 'ts')),
		external: ['./shared'],
		outdir: 'dist',
		outbase: '.',
		bundle: true,
		packages: 'external',
		platform: 'node',
		target: 'es2022',
	});
	const compiled = readdirSync('dist', { recursive: true }).filter((file) => file.endsWith('.js'));
	const rest = compiled.filter((file) => !loaded.includes(file));
	// What the nodes need of it is in their bundle.
	for (const file of [...rest, 'package.json']) rmSync(join('dist', file), { force: true });
}

exports.default = parallel(icons, codex, schemas, bundle);
