import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { EVENTS } from '../../nodes/WorkflowInstanceService/trigger/events';
import { forms, parametersPage, textsAt } from '../../scripts/parametersPage';
import { PAGES, read } from './repository';

/** The pages for users that nothing else checks. */
const WRITTEN = PAGES.filter((page) => /^(README|docs\/(?!parameters)[\w-]+)\.md$/.test(page));

/** What n8n itself calls these things, and the names of the nodes. */
const IN_N8N =
	`Add field, Add first step, AI Agent, Allowed HTTP Request Domains, Always Output Data, Authentication, Batch Processing, Community nodes, Continue,
Continue (using error output), Credential Type, Execute Once, Execute step, Expression, Executions, Fetch Test Event, Human review, Ignore SSL Issues (Insecure),
Import > From file, Install, JSON, Let the model define this parameter, Loop Over Items, MCP Server Trigger, On Error, Poll Times, Predefined Credential Type, Proxy,
Remove Duplicates, Request Options, Retry On Fail, Settings, Settings > Community nodes, Settings > Community nodes > Update,
Stop Workflow, Timeout, Tool, Trigger manually, Triggers, Workflow Instance Service, Workflow Instance Service Trigger,
Workflow Instance Service API`.split(/,\s+/);

test('docs/parameters.md shows the current forms (to update it: npm run docs)', () => {
	expect(read('docs/parameters.md')).toBe(parametersPage());
	const types = [new WorkflowInstanceService(), new WorkflowInstanceServiceTrigger()];
	const properties = types.flatMap(({ description }) => description.properties);
	const names = textsAt([properties, new WorkflowInstanceServiceApi().properties], 'displayName');
	// Not listed: how a locator is set, notices, and what the headings already say.
	const unnamed = ['By ID', 'By URL', 'From List', 'Change', 'Resource', 'Operation'];
	const missing = names.filter((name) => !parametersPage().includes(name) && name.length < 60);
	expect(missing.filter((name) => !unnamed.includes(name))).toEqual([]);
});

test('docs/output.md lists all events', () => {
	const [, list = ''] = /^`event` is one of ([^.]+)\./m.exec(read('docs/output.md')) ?? [];
	const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
	expect(listed.sort()).toEqual(EVENTS.map(({ name }) => name).sort());
});

test('no hint in the forms is longer than 120 characters', () => {
	expect(textsAt(forms(), 'hint').filter(({ length }) => length > 120)).toEqual([]);
});

// Bold is for labels. At the start of a list item, it's a heading; as a sentence, a warning.
test('in pages for users, only labels from the forms or from n8n are in bold', () => {
	const labels = new Set([...textsAt(forms(), 'displayName', 'name'), ...IN_N8N]);
	const bold = WRITTEN.flatMap((page) => [
		...read(page).matchAll(/(?<!^- |\d\. |\| )\*\*([A-Z][^*]*[^*.])\*\*/gm),
	]);
	const named = bold.map(([, label = '']) => label.replace(/\s+/g, ' '));
	expect(named.filter((label) => !labels.has(label))).toEqual([]);
});
