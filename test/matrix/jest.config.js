const root = require('../../jest.config.js');

const { rootDir } = root.projects[0];

/** The folder whose node_modules hold the n8n-core and n8n-workflow to test with; see run.ts. */
const folder = process.env.N8N_ENGINE_FOLDER ?? rootDir;
const hasVm = process.env.N8N_ENGINE_VM !== 'false';
const isOwn = folder === rootDir;

// Of luxon the node gets n8n's copy at run time, too.
const moduleNameMapper = {
	'^(n8n-core|n8n-workflow|luxon|reflect-metadata)$': `${folder}/node_modules/$1`,
	'^@n8n/(backend-common|di)$': `${folder}/node_modules/@n8n/$1`,
	'^(n8n-core|n8n-workflow)/(.*)$': `${folder}/node_modules/$1/$2`,
};

const onVersion = (project) => ({
	...project,
	displayName: `n8n ${project.displayName}`,
	moduleNameMapper,
	setupFiles: [...project.setupFiles, '<rootDir>/test/matrix/olderEngine.ts'],
	// Shows how the n8n behaves that the project develops with.
	testPathIgnorePatterns: [
		...project.testPathIgnorePatterns,
		...(isOwn ? [] : ['/test/engine/harness\\.test\\.ts$']),
	],
});

const isWanted = ({ displayName }) => displayName === 'legacy' || (displayName === 'vm' && hasVm);

/** @type {import('jest').Config} */
module.exports = {
	...root,
	rootDir,
	projects: root.projects.filter(isWanted).map(onVersion),
	// Older versions of n8n-core keep connections open.
	forceExit: true,
};
