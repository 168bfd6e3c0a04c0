const [{ transform, transformIgnorePatterns }] = require('./jest.config').projects;

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sandbox/n8n/'],
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	transform,
	transformIgnorePatterns,
	// A real n8n takes seconds to start and is shared by the tests of a file.
	reporters: ['default', '<rootDir>/test/harness/jest/summaryReporter.js'],
	maxWorkers: 1,
	testTimeout: 300_000,
};
