import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** Writes a page of the folder docs, laid out by prettier as all files are. */
export async function writePage(name: string, page: string): Promise<void> {
	const file = join(__dirname, '..', '..', 'docs', name);
	const options = await resolveConfig(file);
	await writeFile(file, await format(page, { ...options, filepath: file }));
	console.log(`Written: docs/${name}`);
}
