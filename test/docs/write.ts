import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';

const ROOT = join(__dirname, '..', '..');

/** A page of the folder docs. */
export const readPage = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

const between = (command: string): RegExp =>
	new RegExp(`(?<=<!-- ${command}: begin -->\\n).*(?=<!-- ${command}: end -->)`, 's');

/**
 * What a command has written between its marks in a page.
 *
 * @throws Error when the page has no marks of it
 */
export function writtenBy(command: string, page: string): string {
	const [written] = between(command).exec(page) ?? [];
	if (written === undefined) throw new Error(`The page has no marks of "${command}".`);
	return written;
}

/** A page with something else between the marks of a command. */
export function withWritten(command: string, page: string, text: string): string {
	writtenBy(command, page);
	return page.replace(between(command), () => `\n${text}\n\n`);
}

/** Writes a page of the folder docs, laid out by prettier unless .prettierignore names it. */
export async function writePage(name: string, page: string): Promise<void> {
	const file = join(ROOT, 'docs', name);
	const { ignored } = await getFileInfo(file, { ignorePath: join(ROOT, '.prettierignore') });
	const options = { ...(await resolveConfig(file)), filepath: file };
	await writeFile(file, ignored ? page : await format(page, options));
	console.log(`Written: docs/${name}`);
}
