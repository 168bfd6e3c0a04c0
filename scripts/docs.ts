// `npm run docs` writes the list of parameters. With `-- pictures` or `-- film` it takes these again,
// which needs Chromium, and ffmpeg for the film.
const [name = 'parameters'] = process.argv.slice(2);
if (!['parameters', 'pictures', 'film'].includes(name)) {
	throw new Error('Usage: npm run docs [-- pictures | -- film]');
}
void import(`../test/docs/${name}`);
