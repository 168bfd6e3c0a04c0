import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, getFileInfo, resolveConfig } from 'prettier';

import { messageOf } from '../sandbox/guards';
import { read, ROOT } from '../test/docs/repository';

/** Runs a command. If it throws, the error is shown, and the command fails. */
export function run(main: () => Promise<void>): void {
	main().catch((error: unknown) => {
		process.stderr.write(`${messageOf(error)}\n`);
		process.exitCode = 1;
	});
}

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table, which Prettier will format. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map(row).join('\n');

/** Writes a page in the docs folder, formatted by Prettier unless .prettierignore lists it. */
export async function writePage(name: string, page: string): Promise<void> {
	const file = join(ROOT, 'docs', name);
	const { ignored } = await getFileInfo(file, { ignorePath: join(ROOT, '.prettierignore') });
	const options = { ...(await resolveConfig(file)), filepath: file };
	await writeFile(file, ignored ? page : await format(page, options));
	console.log(`Written: docs/${name}`);
}

export const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * Replaces what is between the marks of a command in the page of measurements.
 *
 * @throws when the page doesn't have these marks
 */
export async function writeMeasurements(command: string, text: string): Promise<void> {
	const name = 'dev/measurements.md';
	const page = read(join('docs', name));
	const [begin, end] = ['begin', 'end'].map((mark) => `<!-- ${command}: ${mark} -->`);
	const between = new RegExp(`(?<=${begin}\\n).*(?=${end})`, 's');
	if (!between.test(page)) throw new Error(`The page has no marks of "${command}".`);
	await writePage(
		name,
		page.replace(between, () => `\n${text}\n\n`),
	);
}
