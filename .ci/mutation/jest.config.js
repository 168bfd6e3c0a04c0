const { projects } = require('../../jest.config.js');

const engine = projects.find(({ displayName }) => displayName === 'legacy');

/** @type {import('jest').Config} */
module.exports = {
	...engine,
	roots: [...engine.roots, '<rootDir>/.ci/mutation'],
	testMatch: ['<rootDir>/.ci/mutation/engine.test.js'],
	snapshotResolver: '<rootDir>/.ci/mutation/snapshots.js',
	setupFilesAfterEnv: [...engine.setupFilesAfterEnv, '<rootDir>/.ci/mutation/bail.js'],
};
