/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['credentials/**/*.ts', 'nodes/**/*.ts'],
	// What the tests do not read.
	ignorePatterns: ['.n8n', 'coverage', 'dist', 'docs/pictures'],
	testRunner: 'jest',
	jest: { configFile: '.ci/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// Mostly the form's texts, of which the tests hold what belongs to the contract.
	ignoreStatic: true,
	// Each run loads n8n again, and does not give back all the memory.
	maxTestRunnerReuse: 12,
	// On a busy machine a run takes long: that alone is not to count as noticed.
	timeoutMS: 20_000,
	thresholds: { high: 98, low: 95, break: 95 },
	reporters: ['clear-text', 'progress-append-only', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: 'coverage/mutation.html' },
};
