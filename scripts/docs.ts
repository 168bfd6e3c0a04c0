import { parametersPage } from './parametersPage';
import { run, writePage } from './pages';

// Writes docs/parameters.md. With `-- pictures`, makes all pictures and films instead, or only those listed.
run(async () => {
	const [what, ...names] = process.argv.slice(2);
	if (what !== 'pictures') return await writePage('parameters.md', parametersPage());
	const { takePictures } = await import('./pictures/take');
	await takePictures(names);
});
