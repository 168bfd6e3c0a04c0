import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { EVENTS } from '../../nodes/WorkflowInstanceService/trigger/events';
import { forms, parametersPage, textsAt } from './parameters/page';
import { read, ROOT } from './repository';

const README = read('README.md');

/** What n8n itself has under these names. */
const IN_N8N =
	`AI Agent, AI Agent 3.1, AI Agent before 3, Allowed HTTP Request Domains, Batch Processing,
Community nodes, Continue, Continue (using error output), Do not save, Execute Once, Executions, Fetch Test Event, HTTP Request,
Human review, Import from file, Install, Let the model define this parameter, MCP, MCP Server Trigger,
npm Package Name, On Error, Poll Times, Predefined Credential Type, Proxy, Remove Duplicates,
Save successful production executions, Settings, Settings > Community nodes,
Settings > Community nodes > Update, Stop Workflow, Tool, Triggers`.split(/,\s+/);
const NODES = ['Get', 'Workflow Instance Service', 'Workflow Instance Service Trigger'];

test('the README has at most 1,800 words', () => {
	expect(README.trim().split(/\s+/).length).toBeLessThanOrEqual(1_800);
});

test('docs/parameters.md is as the forms are. If the change is wanted: npm run docs:parameters', () => {
	expect(parametersPage()).toBe(read('docs/parameters.md'));
});

test('no hint is longer than 120 characters', () => {
	expect(textsAt(forms(), 'hint').filter(({ length }) => length > 120)).toEqual([]);
});

// Bold is for labels; a bold beginning of a list item is a heading, and a bold sentence is a warning.
test.each(['README.md', 'docs/trigger.md', 'docs/operations.md'])(
	'the labels in %s exist',
	(page) => {
		const labels = new Set([...textsAt(forms(), 'displayName', 'name'), ...IN_N8N, ...NODES]);
		const bold = [...read(page).matchAll(/(?<!^- )\*\*([A-Z][^*]*[^*.])\*\*/gm)];
		const named = bold.map(([, label = '']) => label.replace(/\s+/g, ' '));
		expect(named.filter((label) => !labels.has(label))).toEqual([]);
		expect(named.length).toBeGreaterThan(8);
	},
);

test('docs/trigger.md and the README leave out no event, credential field, recipe, picture or film', () => {
	const has = (text: string) => (name: string) => text.includes(name);
	const filesIn = (folder: string) =>
		readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`);
	const shown = ['examples', 'docs/pictures', 'docs/film'].flatMap(filesIn);
	expect(shown.filter((file) => !has(README)(file))).toEqual([]);
	const fields = new WorkflowInstanceServiceApi().properties.map((field) => field.displayName);
	expect(fields.filter((label) => !has(README)(`\n| ${label} `))).toEqual([]);
	const events = Object.values(EVENTS).map(({ label }) => label);
	const unnamed = events.filter((label) => !/ Changed$/.test(label));
	expect(unnamed.filter((label) => !has(read('docs/trigger.md'))(label))).toEqual([]);
});
