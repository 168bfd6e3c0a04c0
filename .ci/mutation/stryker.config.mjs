/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['credentials/**/*.ts', 'nodes/**/*.ts'],
	// What the tests do not read.
	ignorePatterns: ['.n8n', 'coverage', 'dist', 'docs/pictures'],
	testRunner: 'jest',
	jest: { configFile: '.ci/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// Mostly the form's texts: the snapshot of the description notices each change of them.
	ignoreStatic: true,
	// Each run loads n8n again, slowly on a busy machine: what only takes long has not been noticed.
	timeoutMS: 30_000,
	thresholds: { high: 98, low: 95, break: 95 },
	reporters: ['clear-text', 'progress-append-only', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: 'coverage/mutation.html' },
};
