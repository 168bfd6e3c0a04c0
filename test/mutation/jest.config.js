const { projects } = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...projects.find(({ displayName }) => displayName === 'legacy'),
	testMatch: ['<rootDir>/test/mutation/engine.ts'],
	snapshotResolver: '<rootDir>/test/mutation/snapshots.js',
	testEnvironment: require.resolve('./environment.js'),
	runtime: require.resolve('./runtime.js'),
};
