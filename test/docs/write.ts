import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';

const ROOT = join(__dirname, '..', '..');

/** Writes a page of the folder docs, laid out by prettier unless .prettierignore names it. */
export async function writePage(name: string, page: string): Promise<void> {
	const file = join(ROOT, 'docs', name);
	const { ignored } = await getFileInfo(file, { ignorePath: join(ROOT, '.prettierignore') });
	const options = { ...(await resolveConfig(file)), filepath: file };
	await writeFile(file, ignored ? page : await format(page, options));
	console.log(`Written: docs/${name}`);
}
