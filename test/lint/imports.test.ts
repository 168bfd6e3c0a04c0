import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import execa from 'execa';

import { ROOT } from '../docs/repository';

const NODES = 'nodes/WorkflowInstanceService';
const CONFIGURATION = join(ROOT, '.dependency-cruiser.json');

/** A file, what it imports, and the rule that forbids it. The sources show what is allowed. */
const IMPORTS: Array<[from: string, to: string, rule?: string]> = [
	['values/ids', 'api/clock', 'values-imports-no-other-folder'],
	['api/response', 'n8n/connection', 'api-imports-only-values'],
	['n8n/runner', 'instance/update/fields', 'n8n-imports-only-api-and-values'],
	['instance/get', 'WorkflowInstanceService.node', 'instance-imports-only-n8n-api-and-values'],
	['WorkflowInstanceServiceTrigger.node', 'trigger/events', 'only-shared-imports-trigger'],
	['api/errors', 'api/errorTexts', 'no-circle-of-imports'],
	// A circle is only reported once.
	['api/errorTexts', 'api/errors'],
];

const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
	const local = { cwd: folder, preferLocal: true, localDir: ROOT, reject: false };
	const { summary } = JSON.parse(execa.sync('depcruise', args, local).stdout);
	const found: Array<{ from: string; to: string; rule: { name: string } }> = summary.violations;
	const forbidden = IMPORTS.filter(([, , rule]) => rule !== undefined);
	expect(found.map(({ from, to, rule }) => [from, to, rule.name]).sort()).toEqual(
		forbidden.map(([from, to, rule]) => [pathOf(from), pathOf(to), rule]).sort(),
	);
});
