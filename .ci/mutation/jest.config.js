const { projects } = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...projects.find(({ displayName }) => displayName === 'legacy'),
	// Those that take minutes, that test the harness, or that read the source that Stryker rewrites.
	testPathIgnorePatterns: [
		'/(faults|harness|messages|properties\\w+|thrownExpressions)\\.test\\.ts$',
	],
};
