import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format } from 'prettier';

import { ROOT } from '../test/docs/repository';

/** A Markdown table, which Prettier will format. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * Replaces what is between the marks of a command in the page of measurements.
 *
 * @throws when the page doesn't have these marks
 */
export async function writeMeasurements(command: string, text: string): Promise<void> {
	const file = join(ROOT, 'docs/dev/measurements.md');
	const page = readFileSync(file, 'utf8');
	const [begin, end] = ['begin', 'end'].map((mark) => `<!-- ${command}: ${mark} -->`);
	const between = new RegExp(`(?<=${begin}\\n).*(?=${end})`, 's');
	if (!between.test(page)) throw new Error(`The page has no marks of "${command}".`);
	const formatted = await format(text, { parser: 'markdown' });
	const written = page.replace(between, () => `\n${formatted}\n`);
	writeFileSync(file, written);
}
