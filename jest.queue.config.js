/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.e2e.config'),
	testMatch: ['<rootDir>/test/queue/**/*.test.ts'],
};
