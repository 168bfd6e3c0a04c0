import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import eslint from '@eslint/js';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const shipped = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** All rules against values of type any, which the compiler lets pass. */
const noUnsafe = Object.keys(tseslint.plugin.rules)
	.filter((name) => name.startsWith('no-unsafe-'))
	.map((name) => [`@typescript-eslint/${name}`, 'error']);

export default tseslint.config(
	{ ignores: ['**/node_modules/', 'dist/', 'coverage/', '.n8n/'] },
	{ linterOptions: { noInlineConfig: true } },
	{
		files: ['**/*.ts'],
		extends: [eslint.configs.recommended, tseslint.configs.strict],
		rules: {
			// Empty functions and classes with one purpose are n8n's own style of describing nodes.
			'@typescript-eslint/no-extraneous-class': 'off',
			complexity: ['warn', 10],
			'max-lines': ['warn', { max: 250, skipBlankLines: false, skipComments: false }],
		},
	},
	{
		files: ['test/**/*.ts', 'scripts/**/*.ts'],
		rules: { complexity: 'off', 'max-lines': 'off' },
	},
	{
		files: ['**/*.{js,mjs,cjs}'],
		extends: [eslint.configs.recommended],
		languageOptions: { globals: globals.node },
	},
	{
		files: ['**/*.test.js'],
		languageOptions: { globals: globals.jest },
	},
	{
		files: shipped,
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			...Object.fromEntries(noUnsafe),
			'@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
			'no-console': 'error',
		},
	},
	{
		files: shipped,
		ignores: ['nodes/*/api/clock.ts'],
		rules: {
			'no-restricted-properties': [
				'error',
				{ object: 'Date', property: 'now', message: 'Use the clock of api/clock.ts.' },
			],
		},
	},
	{
		files: shipped,
		ignores: ['nodes/*/n8n/**'],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: '^n8n-workflow$',
							importNamePattern: '^I\\w+(Functions|Context)$',
							message: "Only n8n/ uses n8n's execution contexts.",
						},
					],
				},
			],
		},
	},
	{
		files: ['package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: { ...n8nNodesBase.configs.community.rules },
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// These two want the documentation of n8n's own repository; ours is a URL.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// Both predate NodeConnectionTypes, which the community rules ask for.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
);
