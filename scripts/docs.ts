import { writeFileSync } from 'node:fs';

import { parametersPage } from './parametersPage';
import { run } from './pages';

// Writes docs/parameters.md. With `-- pictures`, makes all pictures and films instead, or only those listed.
run(async () => {
	const [what, ...names] = process.argv.slice(2);
	if (what !== 'pictures') return writeFileSync('docs/parameters.md', parametersPage());
	const { takePictures } = await import('./pictures/take');
	await takePictures(names);
});
