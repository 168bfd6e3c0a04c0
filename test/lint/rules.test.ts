import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import execa from 'execa';

import { ROOT } from '../docs/repository';

const NODES = 'nodes/WorkflowInstanceService';
const CONFIGURATION = join(ROOT, '.dependency-cruiser.json');

/** What one file imports, and the rule that forbids it. The sources show what is allowed. */
const IMPORTS: Array<[from: string, to: string, rule?: string]> = [
	['values/ids', 'api/clock', 'values-imports-no-other-folder'],
	['api/response', 'n8n/connection', 'api-imports-only-values'],
	['n8n/runner', 'instance/update/fields/name', 'n8n-imports-only-api-and-values'],
	['instance/get', 'WorkflowInstanceService.node', 'instance-imports-only-n8n-api-and-values'],
	['WorkflowInstanceServiceTrigger.node', 'trigger/events', 'only-shared-imports-trigger'],
	['api/errors', 'api/errorTexts', 'no-circle-of-imports'],
	// A circle is found once.
	['api/errorTexts', 'api/errors'],
];

/** What is not allowed in the package, and the rule that forbids it. */
const LINES: Array<[line: string, rule: string]> = [
	["import type { IExecuteFunctions } from 'n8n-workflow';", 'no-restricted-imports'],
	['export const now = () => Date.now();', 'no-restricted-properties'],
	[
		'export const later = (act: () => void) => setTimeout(act, 1);',
		'@n8n/community-nodes/no-restricted-globals',
	],
	['export const given = (value: any) => [value];', '@typescript-eslint/no-explicit-any'],
	["export const list: string[] = JSON.parse('');", '@typescript-eslint/no-unsafe-assignment'],
	[
		'export const text = (value: object | string) => value as string;',
		'@typescript-eslint/consistent-type-assertions',
	],
	["console.log('Hello'); // eslint-disable-line no-console", 'no-console'],
];

const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a linter writes as JSON, whatever it finds. */
function jsonOf(command: string, args: string[], options: execa.SyncOptions) {
	const local = { preferLocal: true, localDir: ROOT, reject: false };
	return JSON.parse(execa.sync(command, args, { ...local, ...options }).stdout);
}

test('npm run lint finds each import in the wrong direction', () => {
	const pathOf = (file: string) => `${NODES}/${file}.ts`;
	for (const [from, to] of IMPORTS) {
		const up = relative(dirname(from), '.') || '.';
		const files = { [from]: `import type {} from './${up}/${to}';\n`, [to]: 'export {};\n' };
		for (const [file, line] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, pathOf(file))), { recursive: true });
			appendFileSync(join(folder, pathOf(file)), line);
		}
	}
	const args = ['--config', CONFIGURATION, '--output-type', 'json', 'nodes'];
	const { summary } = jsonOf('depcruise', args, { cwd: folder });
	const found: Array<{ from: string; to: string; rule: { name: string } }> = summary.violations;
	const forbidden = IMPORTS.filter(([, , rule]) => rule !== undefined);
	expect(found.map(({ from, to, rule }) => [from, to, rule.name]).sort()).toEqual(
		forbidden.map(([from, to, rule]) => [pathOf(from), pathOf(to), rule]).sort(),
	);
});

test('npm run lint finds what the package must not contain', () => {
	const input = LINES.map(([line]) => line).join('\n');
	// Typed rules know the files that exist.
	const args = ['--format', 'json', '--stdin', '--stdin-filename', `${NODES}/shared.ts`];
	const [{ messages }] = jsonOf('eslint', args, { cwd: ROOT, input });
	const found: Array<{ line: number; ruleId: string | null }> = messages;
	const rules = LINES.map(
		(_, index) => found.find(({ line, ruleId }) => line === index + 1 && ruleId)?.ruleId,
	);
	expect(rules).toEqual(LINES.map(([, rule]) => rule));
});
