import { writeFileSync } from 'node:fs';

import { parametersPage } from './parametersPage';

/** Writes docs/parameters.md. With `-- pictures`, makes all pictures and films instead, or only those listed. */
async function main(): Promise<void> {
	const [what, ...names] = process.argv.slice(2);
	if (what !== 'pictures') return writeFileSync('docs/parameters.md', parametersPage());
	const { takePictures } = await import('./pictures/take');
	await takePictures(names);
}

void main();
