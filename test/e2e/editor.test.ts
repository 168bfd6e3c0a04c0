import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { triggerWorkflow } from './support/active';
import { describeInBrowser, type OpenBrowser, openBrowser } from './support/browser';
import { behind, Editor, serviceWorkflow } from './support/editor';
import { IS_OLDEST, locator, SERVICE, START, useStack } from './support/stack';

const NODE = 'Workflow Instance Service';

describeInBrowser('The editor', () => {
	const stack = useStack();
	let browser: OpenBrowser;
	let editor: Editor;

	beforeAll(async () => {
		browser = await openBrowser(stack().n8n);
	});
	afterAll(async () => await browser.close());

	async function newEditor(workflowId?: string): Promise<void> {
		editor = new Editor(await browser.newPage(), stack().n8n.url);
		await editor.open(workflowId);
	}
	/** The initial form of the node for an operation. */
	async function openForm(operation = ''): Promise<void> {
		await newEditor(await stack().store(serviceWorkflow()));
		await editor.openNode(SERVICE);
		if (operation !== '') await editor.choose('operation', operation);
	}
	/** The requests that the service received since the test began, each with its body. */
	const received = () => {
		const log = stack().sandbox.control.log();
		return log.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
	};
	const stored = () => stack().sandbox.control.instance(SEED.fullyFilled);
	async function sees(where: Locator, ...texts: string[]): Promise<void> {
		for (const text of texts) await where.getByText(text).first().waitFor();
	}
	async function seesNot(where: Locator, text: string): Promise<void> {
		await where.getByText(text).first().waitFor({ state: 'hidden' });
	}

	const WORDS =
		'workflow instance, process instance, due date, reassign, clean up, delete instances, ' +
		'instance completed, escalation, user task, onboarding, assign user, delete old, escalate, ' +
		'status, status changed, human task, update record, approval, case, tag, remove';
	test('the node panel finds the node by what people type', async () => {
		await newEditor();
		for (const words of WORDS.split(', ')) {
			await editor.search('nothing of this kind');
			await editor.found(NODE).first().waitFor({ state: 'hidden' });
			await editor.search(words);
			await editor.found(NODE).first().waitFor();
		}
	});

	test.each<[string, string | undefined, string[], string[], string]>([
		[
			'an operation',
			// Without a node on the canvas, n8n first shows what can start a workflow.
			'Actions (3)',
			['Get an instance', 'Delete instances permanently', 'Update an instance'],
			['Credential', 'Instance', 'Fields to Update', 'Fields to Clear', 'Output', 'Options'],
			'update: instance',
		],
		[
			'an event',
			undefined,
			['On instance completed', 'On instance not found', 'On instance overdue'],
			['Instance IDs', 'Trigger On', 'Overdue', 'already finished or overdue at the first check'],
			'overdue',
		],
	])('the node panel lists and adds %s', async (_, group, actions, labels, subtitle) => {
		await newEditor();
		await editor.search('workflow instance');
		await editor.found(NODE).first().click();
		await sees(editor.nodePanel, 'Read, update and delete process instances');
		if (group !== undefined) await editor.nodePanel.getByText(group).click();
		await sees(editor.nodePanel, ...actions);
		await editor.nodePanel.getByText(actions.at(-1) ?? '').click();
		await sees(editor.form, ...labels);
		await editor.closeNode();
		await editor.page.getByTestId('canvas-node').getByText(subtitle).last().waitFor();
	});

	test('a new credential is tested, and says what to correct', async () => {
		const { url, baseUrl, apiKey } = stack().sandbox;
		await openForm();
		await editor.newCredential();
		const form = editor.credentialForm;
		const refused = async (values: Record<string, string>, ...texts: string[]) => {
			await editor.saveCredential(values);
			await form.getByText('Couldn’t connect').waitFor();
			const more = form.getByText('More details');
			// It's only there if the reason is too long for the window.
			if (await more.isVisible()) await more.click();
			await sees(form, ...texts);
		};
		const words = "The 'Base URL' in the credential does not end in /api";
		await refused({ baseUrl: url, apiKey: 'wrong' }, words);
		const rejected = "The service rejected the 'API Key' in the credential (401)";
		await refused({ baseUrl }, IS_OLDEST ? 'Authorization failed' : rejected);
		await editor.saveCredential({ apiKey });
		if (!IS_OLDEST) {
			await form.waitFor({ state: 'hidden' });
			await editor.page.getByTestId('credential-edit-button').click();
		}
		await sees(form, 'Connection tested successfully');
	});

	const STEPS = ['Record invoice (active)', 'Check against order', 'Approve', 'Pay'];

	/** Expects these entries in the open list, each with the name of the instance, then closes the list. */
	async function lists(...names: string[]): Promise<void> {
		await editor.listed.nth(names.length - 1).waitFor();
		const listed = (await editor.listed.allInnerTexts()).map((text) => text.trim());
		expect(listed).toEqual(names.map((name) => `${name} · ${stored()?.name}`));
		await editor.click(editor.form.getByText('Operation', { exact: true }));
		await editor.listed.first().waitFor({ state: 'hidden' });
	}

	test('Update offers steps and users, previews, and changes only the fields that are added', async () => {
		const before = stored();
		const { deadline, priority, step_assignments: [first, second] = [] } = before ?? {};
		await openForm('Update');
		await editor.enterId('instanceId', SEED.fullyFilled);
		await editor.add('Fields to Update', 'Name');
		await editor.fill('name', 'Invoice 7');
		await editor.add('Fields to Update', 'Replace Tags');
		await sees(editor.form, 'Replaces all current tags, unlike Add Tags');
		await editor.fill('tags', 'north, south');
		await editor.add('Fields to Update', 'Change Step Assignments');
		await editor.click(editor.form.getByText('Add change'));
		await editor.choose('action', 'Add');
		await sees(editor.form, 'With Remove, leave this empty to remove all users');
		await editor.openList('stepId');
		await lists(...STEPS);
		await editor.pick('stepId', 'Check against order');
		await editor.parameter('dryRun').click();
		await sees(editor.form, 'so the node only lists what it would change or delete');
		await editor.execute();
		await sees(editor.output, "'User' in row 1 of 'Change Step Assignments' is empty");
		await editor.pick('userId', `User ${first?.user_id} (Record invoice)`);
		await editor.click(editor.form.getByText('Add change'));
		await editor.openList('stepId', 1, 'PAY');
		await editor.listed.nth(1).waitFor({ state: 'hidden' });
		await lists('Pay');
		await editor.pick('stepId', 'Pay', 1);
		await editor.enterId('userId', 7, 1);
		await editor.execute();
		await sees(editor.output, 'Nothing was changed', 'Invoice 7', 'north', 'south', 'from', 'to');
		expect(stored()).toEqual(before);
		await editor.parameter('dryRun').click();
		await editor.execute();
		await seesNot(editor.output, 'Nothing was changed');
		await sees(editor.output, 'Invoice 7', 'north', 'south');
		const added = { step_id: 1202, user_id: first?.user_id };
		const step_assignments = [first, second, { step_id: 1204, user_id: 7 }, added];
		const changes = { name: 'Invoice 7', tags: ['north', 'south'], step_assignments };
		expect(stored()).toMatchObject({ deadline, priority, ...changes });
	});

	test('a list says what to do while it is empty, and keeps what was chosen before', async () => {
		const row = { action: 'reassign', stepId: locator('', 'list'), userId: locator('', 'list') };
		/** The form with rows to reassign steps, of an instance whose ID may come from the node before. */
		async function openRows(instanceId: number | string, change: INodeParameters[]) {
			const updateFields = { changeSteps: { change } };
			const parameters = { operation: 'update', instanceId: locator(instanceId), updateFields };
			const before = { mode: 'raw', jsonOutput: `{ "id": ${SEED.fullyFilled} }`, options: {} };
			const workflow = newWorkflow('Rows', [
				START,
				workflowNode('Before', 'n8n-nodes-base.set', 3.4, before, [220, 0]),
				workflowNode(SERVICE, NODE_TYPE, 1, parameters, [440, 0]),
			]);
			await newEditor(await stack().store(workflow));
			await editor.openNode(SERVICE);
		}
		await openRows(SEED.bare, [row]);
		await editor.openList('userId');
		await sees(editor.listError, 'No users are assigned to steps in instance', 'choose By ID');
		const chosen = { ...locator('1203', 'list'), cachedResultName: 'Approve' };
		await openRows('={{ $json.id }}', [{ ...row, stepId: chosen, userId: locator(7) }, row]);
		await editor.openList('stepId', 1);
		await sees(editor.listError, "The expression in 'Instance' has no value yet");
		await sees(editor.listError, 'Execute the previous nodes to load this list');
		await editor.click(editor.input.getByText('Execute previous nodes'));
		await sees(editor.input, String(SEED.fullyFilled));
		await editor.openList('stepId', 1);
		await lists(...STEPS);
		for (const [name, value] of Object.entries({ stepId: 'Approve', userId: '7' }))
			expect(await editor.locator(name).getByTestId('rlc-input').inputValue()).toBe(value);
	});

	test('Bulk Delete warns, requires IDs, and lists before it deletes', async () => {
		const notice = "Deleted instances can't be restored.";
		await openForm('Bulk Delete');
		await sees(editor.form, notice, 'is not an instance ID', 'have a person approve');
		await editor.tryToExecute();
		const words = IS_OLDEST ? 'The workflow has issues' : 'Parameter "Instance IDs" is required';
		await sees(editor.page.getByRole('alert'), words);
		await editor.fill('instanceIds', '1, 2');
		await editor.parameter('dryRun').click();
		await sees(editor.form, 'so the node only lists what it would change or delete');
		await seesNot(editor.form, notice);
		await editor.execute();
		await sees(editor.output, 'If found is false, the service has no instance with that ID');
		await editor.fill('instanceIds', '107\n108');
		await editor.execute();
		await sees(editor.output, '107', '108', 'so nothing was deleted', 'found');
		expect(received().filter((request) => !request.startsWith('GET'))).toEqual([]);
		stack().sandbox.control.clearLog();
		await editor.parameter('dryRun').click();
		const body = '{"message": "Removed <b>for good</b>"}';
		stack().sandbox.control.addFault({ action: { type: 'respond', status: 200, body } });
		await editor.execute();
		await seesNot(editor.output, 'dryRun');
		await sees(editor.output, '107', '108', 'true', 'the service accepted the request');
		await sees(editor.output, 'The service responded: Removed <b>for good</b>');
		expect(received()).toEqual(['POST /api/instances/bulk/delete {"ids":[107,108]}']);
	});

	test('the canvas shows what each operation does, and the next node its output before the first run', async () => {
		const INSTANCE = ['id', 'name', 'stage', 'deadline', 'completed_time'];
		const shown: Array<[INodeParameters, subtitle: string, fields: string[]]> = [
			[{ operation: 'get' }, 'get: instance', INSTANCE],
			[{ operation: 'update', dryRun: true }, 'update (dry run): instance', INSTANCE],
			[{ operation: 'update' }, 'update: instance', INSTANCE],
			[{ operation: 'bulkDelete' }, 'bulk delete: instance', ['id', 'deleted']],
			[{ operation: 'bulkDelete', dryRun: true }, 'bulk delete (dry run): instance', ['id']],
		];
		const nodes = shown.map(([parameters], index) => [`Node ${index}`, parameters]);
		await newEditor(await stack().store(serviceWorkflow(Object.fromEntries(nodes))));
		for (const [index, [, subtitle, fields]] of shown.entries()) {
			const name = `Node ${index}`;
			await editor.node(name).getByText(subtitle, { exact: true }).waitFor();
			await editor.openNode(behind(name));
			await sees(editor.input, 'Preview', ...fields);
			await editor.closeNode();
		}
	});

	test('the trigger returns samples for the chosen events, and lists IDs that are not found', async () => {
		await newEditor(await stack().store(triggerWorkflow({ instanceIds: '' })));
		await editor.openNode('Trigger');
		await editor.fill('instanceIds', `${SEED.running}, ${SEED.overdue}`);
		await editor.choose('events', 'Overdue');
		await editor.page.keyboard.press('Escape');
		await editor.add('Options', 'Include Already Finished');
		const isOn = editor.parameter('emitFirst').getByRole('switch', { checked: true });
		await isOn.waitFor({ state: 'attached' });
		await sees(editor.output, 'samples for up to 10 instances');
		await editor.execute();
		await sees(editor.output, '2 items', `${SEED.overdue}-overdue-sample`);
		await editor.fill('instanceIds', `${SEED.running}, ${SEED.unknown}`);
		await editor.execute();
		await sees(editor.output, `contains ${SEED.unknown}, which`, 'Correct the IDs');
	});
});
