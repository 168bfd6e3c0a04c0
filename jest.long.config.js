// Many cases for each property instead of a few (test/engine/support/hostile.ts).
process.env.LONG = '1';

const quick = require('./jest.config');
const [unit, legacy, vm] = quick.projects;

/** About requests and time, in which n8n's engine for expressions has no part. */
const ON_ONE_ENGINE =
	'/(adaptiveLimit|concurrencyLimiter|eventLoop|faults\\w*|keyedLock|messages|pace|polls|secrets)\\.';

const inEngineTests = (names) => names.map((name) => `<rootDir>/test/engine/**/${name}.test.ts`);

/**
 * What `npm test` has no time for: all properties with many cases, the whole of what it samples, and
 * every engine test on n8n's default engine for expressions.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	...quick,
	projects: [
		{ ...unit, testMatch: ['<rootDir>/test/{simulation,pack}/*.test.ts'] },
		{
			...legacy,
			testMatch: inEngineTests(['*.long', 'properties*', 'trigger/events']),
			testPathIgnorePatterns: [],
		},
		{
			...vm,
			testMatch: inEngineTests(['*']),
			testPathIgnorePatterns: [...vm.testPathIgnorePatterns, ON_ONE_ENGINE],
		},
	],
};
