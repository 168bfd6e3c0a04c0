import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

/** Folders with files that are installed, built or generated. */
const NOT_TEXT = new Set(['node_modules', 'dist', 'coverage', 'pictures']);

/** The files in a folder, at any depth, by their paths from the root of the repository. */
export function filesIn(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { withFileTypes: true })
		.filter(({ name }) => !NOT_TEXT.has(name))
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? filesIn(path) : [path];
		});
}

/** The text of a file, by its path from the root of the repository. */
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export const PAGES = [
	...filesIn('docs').filter((file) => file.endsWith('.md')),
	...['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md'],
];
