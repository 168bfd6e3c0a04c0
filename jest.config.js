const engines = process.env.EXPRESSION_ENGINE ? [process.env.EXPRESSION_ENGINE] : ['legacy', 'vm'];

/** jest runs CommonJS only; TypeScript turns what is written otherwise into it. */
const toCommonJs = [
	'ts-jest',
	{
		tsconfig: {
			allowJs: true,
			module: 'commonjs',
			target: 'es2022',
			isolatedModules: true,
			esModuleInterop: true,
		},
	},
];
// n8n loads its vm engine by `await import()`, which jest runs only under a Node flag.
const vmLoader = 'n8n-workflow/dist/cjs/expression\\.js$';

const shared = {
	rootDir: __dirname,
	roots: ['<rootDir>/credentials', '<rootDir>/nodes', '<rootDir>/sandbox', '<rootDir>/test'],
	modulePathIgnorePatterns: [
		'<rootDir>/dist/',
		'<rootDir>/sandbox/n8n/',
		'<rootDir>/\\.stryker-tmp/',
	],
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/harness/jest/tsconfig.json' }],
		[vmLoader]: toCommonJs,
	},
	transformIgnorePatterns: [`/node_modules/(?!${vmLoader})`],
};

/** About requests and time, in which n8n's engine for expressions has no part: once is enough. */
const RUN_ONCE =
	'/(concurrencyLimiter|credential|description|eventLoop|faults\\w*|items|messages|oddAnswers|propertiesHonesty|requestOptions|retry|schema|secrets|updateAnswers|waiting)\\.test\\.ts$';

/** The other tests of test/engine run on each of n8n's expression engines: `vm` is the default of n8n. */
const engineProject = (engine) => ({
	...shared,
	displayName: engine,
	testMatch: ['<rootDir>/test/engine/**/*.test.ts'],
	testPathIgnorePatterns: engine === engines[0] ? [] : [RUN_ONCE],
	globals: { EXPRESSION_ENGINE: engine },
	globalSetup: '<rootDir>/test/harness/jest/globalSetup.ts',
	globalTeardown: '<rootDir>/test/harness/jest/globalTeardown.ts',
	setupFiles: ['<rootDir>/test/harness/jest/environment.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/harness/jest/setup.ts'],
});

const unitProject = {
	...shared,
	displayName: 'unit',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/engine/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/queue/',
	],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [unitProject, ...engines.map(engineProject)],
	reporters: ['default', '<rootDir>/test/harness/jest/summaryReporter.js'],
	maxWorkers: '100%',
	// On a busy machine a process of its own takes seconds to start.
	testTimeout: 60_000,
	collectCoverageFrom: ['credentials/**/*.ts', 'nodes/**/*.ts', '!**/*.d.ts'],
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'html'],
	coverageThreshold: { global: { statements: 100, branches: 100, functions: 100, lines: 100 } },
};
