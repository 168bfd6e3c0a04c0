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
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sandbox/n8n/'],
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/harness/jest/tsconfig.json' }],
		[vmLoader]: toCommonJs,
	},
	transformIgnorePatterns: [`/node_modules/(?!${vmLoader})`],
};

/** What depends on how n8n evaluates expressions: it also runs on `vm`, n8n's default engine, which is slower. */
const ON_BOTH_ENGINES = ['expressions', 'propertiesPaths'];

/**
 * For `npm run test:matrix`: the folder whose node_modules hold another n8n-core and n8n-workflow. Of
 * luxon and the like, the node gets n8n's copy at run time, too.
 */
const otherEngine = process.env.N8N_ENGINE_FOLDER;
const modules = `${otherEngine}/node_modules`;
const onOtherEngine = otherEngine !== undefined && {
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|luxon|reflect-metadata)$': `${modules}/$1`,
		'^@n8n/(backend-common|di)$': `${modules}/@n8n/$1`,
		'^(n8n-core|n8n-workflow)/(.*)$': `${modules}/$1/$2`,
	},
};

/**
 * The tests of test/engine and test/model on one of n8n's engines for expressions.
 *
 * @param files globs below these folders
 */
const engineProject = (engine, files) => ({
	...shared,
	...onOtherEngine,
	displayName: engine,
	testMatch: files.map((file) => `<rootDir>/test/(engine|model)/**/${file}.test.ts`),
	globals: { EXPRESSION_ENGINE: engine },
	setupFiles: [
		'<rootDir>/test/harness/jest/environment.ts',
		...(otherEngine === undefined ? [] : ['<rootDir>/test/matrix/olderEngine.ts']),
	],
	setupFilesAfterEnv: ['<rootDir>/test/harness/jest/setup.ts'],
});

const unitProject = {
	...shared,
	displayName: 'unit',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(engine|e2e|model|queue)/'],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [unitProject, engineProject('legacy', ['*']), engineProject('vm', ON_BOTH_ENGINES)],
	reporters: ['default', '<rootDir>/test/harness/jest/summaryReporter.js'],
	maxWorkers: '100%',
	// On a busy machine a worker that is done needs more than jest's half a second to free its memory.
	workerGracefulExitTimeout: 30_000,
	// On a busy machine a process of its own takes seconds to start.
	testTimeout: 60_000,
	collectCoverageFrom: ['credentials/**/*.ts', 'nodes/**/*.ts', '!**/*.d.ts'],
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'html'],
	coverageThreshold: { global: { statements: 100, branches: 100, functions: 100, lines: 100 } },
};
