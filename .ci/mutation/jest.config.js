const { projects } = require('../../jest.config.js');

const engine = projects.find(({ displayName }) => displayName === 'legacy');

/** @type {import('jest').Config} */
module.exports = {
	...engine,
	setupFilesAfterEnv: [...engine.setupFilesAfterEnv, '<rootDir>/.ci/mutation/bail.js'],
	// Those that take minutes, that test the harness, or that read the source that Stryker rewrites.
	testPathIgnorePatterns: [
		'/(faults|harness|messages|properties\\w+|thrownExpressions)\\.test\\.ts$',
	],
	// A mutant often makes a test wait for what never comes.
	testTimeout: 20_000,
	testSequencer: '<rootDir>/.ci/mutation/sequencer.js',
};
