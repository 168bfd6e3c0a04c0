import { parametersPage } from './parametersPage';
import { run, writePage } from './pages';

// Writes docs/parameters.md. With `-- pictures`, takes the pictures and films, or only those that are named.
run(async () => {
	const [what, ...names] = process.argv.slice(2);
	if (what !== 'pictures') return await writePage('parameters.md', parametersPage());
	const { takePictures } = await import('./pictures/take');
	await takePictures(names);
});
