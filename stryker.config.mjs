/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['credentials/**/*.ts', 'nodes/**/*.ts'],
	// What jest and n8n's package loader read; without the installed n8n and its state.
	ignorePatterns: ['.n8n', 'coverage', 'dist', 'docs/pictures', 'sandbox/n8n/node_modules'],
	testRunner: 'jest',
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// Many tests wait most of the time.
	concurrency: 5,
	// A test that did not pass leaves its memory behind.
	maxTestRunnerReuse: 50,
	timeoutMS: 30_000,
	thresholds: { high: 95, low: 90, break: 90 },
	reporters: ['clear-text', 'progress-append-only', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	jsonReporter: { fileName: 'coverage/mutation.json' },
	// Only what has changed since the last run is run again.
	incremental: true,
	incrementalFile: 'coverage/mutation-incremental.json',
	tempDirName: '.stryker-tmp',
};
