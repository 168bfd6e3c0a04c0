const [unit] = require('./jest.config').projects;

const project = (name) => ({
	...unit,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	testPathIgnorePatterns: [],
});

/**
 * The tests in a real n8n: `npm run test:e2e`, and in queue mode `npm run test:queue`.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	projects: [project('e2e'), project('queue')],
	reporters: ['default', '<rootDir>/test/harness/jest/summaryReporter.js'],
	// A real n8n takes seconds to start, and all of the machine.
	maxWorkers: 1,
	testTimeout: 300_000,
};
