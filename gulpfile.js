const { dest, parallel, src } = require('gulp');

const copy = (patterns, name) => {
	const task = () => src(patterns, { base: '.', encoding: false }).pipe(dest('dist'));
	task.displayName = name;
	return task;
};

const icons = copy('nodes/**/*.svg', 'icons');
const codex = copy('nodes/**/*.node.json', 'codex');
const schemas = copy('nodes/**/__schema__/**/*.json', 'schemas');

exports.default = parallel(icons, codex, schemas);
