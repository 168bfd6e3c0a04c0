import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { triggerWorkflow } from './support/active';
import { describeInBrowser, type OpenBrowser, openBrowser } from './support/browser';
import { behind, Editor, serviceWorkflow } from './support/editor';
import { IS_OLDEST, SERVICE, START, useStack } from './support/stack';

const NODE = 'Workflow Instance Service';
const locator = (value: number | string, mode = 'id') => ({ __rl: true, mode, value });
/** Where the tests leave a picture of the editor as each of them ended, e.g. to see why it did not pass. */
const PICTURES = resolve(__dirname, '../../coverage/editor');

describeInBrowser('The editor', () => {
	const stack = useStack();
	let browser: OpenBrowser;
	let editor: Editor;

	beforeAll(async () => {
		mkdirSync(PICTURES, { recursive: true });
		browser = await openBrowser(stack().n8n);
	});
	afterEach(async () => {
		const name = (expect.getState().currentTestName ?? '').replace(/\W+/g, '-').toLowerCase();
		await browser.page()?.screenshot({ path: join(PICTURES, `${name}.png`) });
	});
	afterAll(async () => await browser.close());

	async function newEditor(workflowId?: string): Promise<void> {
		editor = new Editor(await browser.newPage(), stack().n8n.url);
		await editor.open(workflowId);
	}
	/** The form of the node as it is at first, for an operation. */
	async function openForm(operation = '', items: IDataObject[] = []): Promise<void> {
		await newEditor(await stack().store(serviceWorkflow(undefined, items)));
		await editor.openNode(SERVICE);
		if (operation !== '') await editor.choose('operation', operation);
	}
	/** The requests that the service received since the test began, each with its body. */
	const received = () =>
		stack()
			.sandbox.control.log()
			.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
	async function sees(where: Locator, ...texts: string[]): Promise<void> {
		for (const text of texts) await where.getByText(text).first().waitFor();
	}
	async function seesNot(where: Locator, text: string): Promise<void> {
		await where.getByText(text).first().waitFor({ state: 'hidden' });
	}

	describe('the node panel', () => {
		beforeAll(async () => await newEditor());

		const WORDS =
			'workflow instance, process instance, business process, bpm, deadline, due date, priority, ' +
			'reassign, bulk delete, clean up, next step, task, approval, update instance, ' +
			'delete instance, delete instances, get instance, remove, tracking, overdue, instance finished, ' +
			'instance completed, instance aborted, instance changed, bpmn, watch';
		test.each(WORDS.split(', '))('finds the node by the words %p', async (words) => {
			await editor.search('nothing of this kind');
			await editor.found(NODE).first().waitFor({ state: 'hidden' });
			await editor.search(words);
			await editor.found(NODE).first().waitFor();
		});

		test.each<[string, string | undefined, string[], string[], string]>([
			[
				'an operation',
				// Without a node on the canvas, n8n shows what can start a workflow first.
				'Actions (3)',
				['Get an instance', 'Delete instances permanently', 'Update an instance'],
				['Credential', 'Instance', 'Fields to Update', 'Fields to Clear', 'Output', 'Options'],
				'update: instance',
			],
			[
				'an event',
				undefined,
				['On instance completed', 'On instance not found', 'On instance overdue'],
				['Instance IDs', 'Trigger On', 'Overdue', 'Only changes after the first check'],
				'overdue',
			],
		])('lists what the node can do, and adds %s', async (_, group, actions, labels, subtitle) => {
			await newEditor();
			await editor.search('workflow instance');
			await editor.found(NODE).first().click();
			await sees(editor.nodePanel, 'Read, update and delete process instances');
			if (group !== undefined) await editor.nodePanel.getByText(group).click();
			await sees(editor.nodePanel, ...actions);
			await editor.nodePanel.getByText(actions.at(-1) ?? '').click();
			await sees(editor.form, ...labels);
			await editor.closeNode();
			const node = editor.page.getByTestId('canvas-node').getByText(subtitle);
			await node.last().waitFor();
		});
	});

	test('tests a new credential, and says why it is not right', async () => {
		const { url, baseUrl, apiKey } = stack().sandbox;
		const save = async (values: Record<string, string>, ...texts: string[]) => {
			await editor.saveCredential(values);
			await editor.showWhy();
			await sees(editor.credentialForm, ...texts);
		};
		await openForm();
		await editor.newCredential();
		const words = 'There is no Workflow Instance Service at this URL';
		await save({ baseUrl: url, apiKey: 'wrong' }, words, "Check that the 'Base URL'");
		const refused = [
			"The service rejected the 'API Key' in the credential (401)",
			'Ask a service admin',
		];
		await save({ baseUrl, apiKey: 'wrong' }, ...(IS_OLDEST ? ['Authorization failed'] : refused));
		await editor.saveCredential({ apiKey });
		if (!IS_OLDEST) {
			await editor.credentialForm.waitFor({ state: 'hidden' });
			await editor.page.getByTestId('credential-edit-button').click();
		}
		await sees(editor.credentialForm, 'Connection tested successfully');
	});

	describe('the form of Update', () => {
		const present = () => stack().sandbox.control.instance(SEED.fullyFilled);
		beforeEach(async () => {
			await openForm('Update');
			await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
		});

		test('changes only the fields that are added, and says which of them is empty', async () => {
			const before = present();
			// What is rarely needed is added when it is.
			for (const label of ['Process', 'Other Fields']) await seesNot(editor.form, label);
			await editor.add('Fields to Update', 'Name');
			await editor.fill('name', 'Invoice 7');
			await editor.add('Fields to Update', 'Replace Tags');
			await sees(editor.form, 'Replaces all current tags. To keep them, use Add Tags');
			await editor.fill('tags', 'north, south');
			await editor.add('Fields to Update', 'Add Step Assignments');
			await editor.addRow('addStepAssignments', 'Assignment');
			await sees(editor.form, 'Current assignments are kept');
			await editor.locate('stepId', 'By ID', '1203');
			await editor.execute();
			await sees(editor.output, "'User' in 'Add Step Assignments' is empty");
			expect(received()).toEqual([]);
			await editor.locate('userId', 'By ID', '7');
			await editor.execute();
			await seesNot(editor.output, 'is empty');
			await sees(editor.output, 'Invoice 7', 'north', 'south');
			expect(present()).toEqual({
				...before,
				name: 'Invoice 7',
				tags: ['north', 'south'],
				step_assignments: [...(before?.step_assignments ?? []), { step_id: 1203, user_id: 7 }],
				process_snapshot: expect.any(String),
				last_updated_time: expect.any(String),
			});
		});

		test('warns of Reset, and asks for the process', async () => {
			await editor.add('Fields to Update', 'Name');
			await editor.fill('name', 'Invoice 7');
			const warning = "'Other Fields' is set to Reset";
			await editor.add('Options', 'Other Fields');
			await seesNot(editor.form, warning);
			await editor.choose('unsetFields', 'Reset');
			await sees(editor.form, warning);
			await editor.execute();
			const refusal = "'Process' is required when 'Other Fields' is set to Reset";
			await sees(editor.output, refusal, "Add 'Process' under 'Fields to Update'");
			expect(received()).toEqual([]);
			await editor.add('Fields to Update', 'Process');
			await editor.locate('process', 'By ID', String(SEED.processes.invoiceApproval));
			stack().sandbox.control.clearLog();
			await editor.execute();
			await seesNot(editor.output, refusal);
			await sees(editor.output, 'Invoice 7');
			expect(present()).toMatchObject({
				process: `${stack().sandbox.baseUrl}/processes/${SEED.processes.invoiceApproval}/`,
				...{ name: 'Invoice 7', tags: [], deadline: null, step_assignments: [] },
			});
			expect(received()).toHaveLength(1);
		});
	});

	describe('a list in the form', () => {
		const ROW = { stepId: locator('', 'list'), userId: locator('', 'list') };
		/** The form in which two steps are to be reassigned, of an instance that an earlier node may give. */
		async function openRows(
			instanceId: number | string,
			assignment: INodeParameters[] = [ROW, ROW],
			changes = {},
		): Promise<void> {
			const updateFields = { reassignSteps: { assignment } };
			const parameters = { operation: 'update', instanceId: locator(instanceId), updateFields };
			const before = { mode: 'raw', jsonOutput: `{ "id": ${SEED.fullyFilled} }`, options: {} };
			const workflow = newWorkflow('Rows', [
				START,
				workflowNode('Before', 'n8n-nodes-base.set', 3.4, before, [220, 0]),
				workflowNode(SERVICE, NODE_TYPE, 1, parameters, [440, 0]),
			]);
			await newEditor(await stack().store(workflow, await stack().addCredential(changes)));
			await editor.openNode(SERVICE);
		}
		const STEPS = ['Record invoice (active)', 'Check against order', 'Approve', 'Pay'];
		async function lists(...names: string[]): Promise<void> {
			await editor.listed.nth(names.length - 1).waitFor();
			expect((await editor.listed.allInnerTexts()).map((text) => text.trim())).toEqual(names);
		}

		test('offers the steps and users of the instance, in each row and by search', async () => {
			const [first, second] =
				stack().sandbox.control.instance(SEED.fullyFilled)?.step_assignments ?? [];
			await openRows(SEED.fullyFilled);
			await editor.openList('stepId');
			await lists(...STEPS);
			await editor.closeList();
			await editor.pick('stepId', 'Check against order');
			await editor.pick('userId', `User ${first?.user_id} (Record invoice)`);
			await editor.openList('stepId', 1, 'PAY');
			await editor.listed.nth(1).waitFor({ state: 'hidden' });
			await lists('Pay');
			await editor.closeList();
			await editor.pick('stepId', 'Pay', 1);
			await editor.locate('userId', 'By ID', '7', 1);
			await editor.execute();
			await sees(editor.output, 'step_assignments');
			expect(stack().sandbox.control.instance(SEED.fullyFilled)?.step_assignments).toEqual([
				first,
				{ ...second, user_id: first?.user_id },
				{ step_id: 1204, user_id: 7 },
			]);
		});

		test('asks to execute the previous nodes while an expression has no data, and keeps what was chosen before', async () => {
			const chosen = { ...locator('1203', 'list'), cachedResultName: 'Approve' };
			await openRows('={{ $json.id }}', [{ stepId: chosen, userId: locator(7) }, ROW]);
			await editor.openList('stepId', 1);
			await sees(editor.listError, "The expression in 'Instance' has no value yet");
			if (!IS_OLDEST) await sees(editor.listError, 'Execute the previous nodes to load this list');
			await editor.click(editor.input.getByText('Execute previous nodes'));
			await sees(editor.input, String(SEED.fullyFilled));
			await editor.openList('stepId', 1);
			await lists(...STEPS);
			await editor.closeList();
			const values = ['stepId', 'userId'].map(
				async (name) => await editor.locator(name).getByTestId('rlc-input').inputValue(),
			);
			expect(await Promise.all(values)).toEqual(['Approve', '7']);
		});

		test('says why it is empty while the API key is wrong', async () => {
			await openRows(SEED.running, [ROW], { apiKey: 'wrong' });
			await editor.openList('userId');
			await sees(editor.listError, "The service rejected the 'API Key'");
		});
	});

	describe('the form of Bulk Delete', () => {
		const NOTICE = "Deleted instances can't be restored.";
		const requestFor = (...ids: number[]) => [
			`POST /api/instances/bulk/delete ${JSON.stringify({ ids })}`,
		];

		test('warns, says when there is nothing to delete, and offers a Dry Run', async () => {
			await openForm('Bulk Delete');
			await sees(editor.form, NOTICE);
			await editor.execute();
			await sees(
				editor.output,
				"There are no IDs to delete in 'Instance IDs'",
				'Check the data that it uses',
			);
			await editor.fill('instanceIds', '107, 108, 999999');
			await editor.add('Options', 'Dry Run');
			await sees(editor.form, 'so nothing is deleted');
			await seesNot(editor.form, NOTICE);
			await editor.execute();
			const { name = '', stage = '' } = stack().sandbox.control.instance(108) ?? {};
			await sees(editor.output, '3 items', 'were only listed, not deleted');
			await sees(editor.output, 'found', 'false', name ?? '', stage);
			expect(received().filter((request) => !request.startsWith('GET'))).toEqual([]);
			stack().sandbox.control.clearLog();
			await editor.fill('instanceIds', '107, 108');
			await editor.parameter('dryRun').click();
			await sees(editor.form, NOTICE);
			await editor.execute();
			await seesNot(editor.output, 'dryRun');
			await sees(editor.output, '107', '108', 'true', 'the service accepted the request');
			expect(received()).toEqual(requestFor(107, 108));
		});

		test('deletes the instances of all items, by a field that was dragged from the input', async () => {
			const rows = [107, 108, 107].map((number, index) => ({ id: index + 1, number }));
			await openForm('Bulk Delete', rows);
			await sees(editor.form, 'instances of all input items are deleted together');
			await editor.choose('idSource', 'Input Item Field');
			await sees(editor.form, 'ID Field', "instance's ID, not the row's own ID");
			await seesNot(editor.form, 'Instance IDs');
			await editor.tryToExecute();
			const words = IS_OLDEST ? 'The workflow has issues' : 'Parameter "ID Field" is required';
			await sees(editor.notices, words);
			await editor.fill('idField', 'instance');
			await editor.execute();
			await sees(editor.output, 'This item has no field "instance"', 'these fields: id, number.');
			expect(received()).toEqual([]);
			await editor.drag('number', 'idField');
			await editor.execute();
			await sees(editor.output, '2 items', '107', '108', 'true');
			expect(received()).toEqual(requestFor(107, 108));
		});
	});

	describe('a workflow that is opened', () => {
		const OPERATIONS: Record<string, INodeParameters> = {
			Get: { operation: 'get' },
			Update: { operation: 'update' },
			Delete: { operation: 'bulkDelete' },
			'Dry Run': { operation: 'bulkDelete', options: { dryRun: true } },
		};
		beforeAll(async () => await newEditor(await stack().store(serviceWorkflow(OPERATIONS))));

		const INSTANCE = ['id', 'name', 'stage', 'deadline', 'completed_time'];
		test.each([
			['Get', 'get: instance', INSTANCE],
			['Update', 'update: instance', INSTANCE],
			['Delete', 'bulk delete: instance', ['id', 'deleted']],
			['Dry Run', 'bulk delete: instance (dry run)', ['id', 'deleted']],
		])('shows what %s does, and its output before the first run', async (...row) => {
			const [name, subtitle, fields] = row;
			await editor.closeNode();
			await editor.node(name).getByText(subtitle, { exact: true }).waitFor();
			await editor.openNode(behind(name));
			await sees(editor.input, 'Preview', ...fields);
		});
	});

	test('the form of the trigger returns samples for the chosen events, and names IDs that are not found', async () => {
		const { nodes } = triggerWorkflow({ instanceIds: '' });
		const next = workflowNode(behind('Trigger'), 'n8n-nodes-base.set', 3.4, {}, [220, 0]);
		await newEditor(await stack().store(newWorkflow('Trigger', [...nodes, next])));
		await editor.openNode('Trigger');
		await editor.fill('instanceIds', `${SEED.running}, ${SEED.overdue}`);
		await editor.choose('events', 'Overdue');
		await editor.page.keyboard.press('Escape');
		const options = {
			emitFirst: 'Emit Initial State',
			keepFinished: 'Keep Watching Finished Instances',
		};
		for (const [name, label] of Object.entries(options)) {
			await editor.add('Options', label);
			await sees(editor.form, label);
			const isOn = editor.parameter(name).getByRole('switch', { checked: true });
			await isOn.waitFor({ state: 'attached' });
		}
		await sees(editor.output, 'A test returns samples', 'can handle multiple items');
		await editor.execute();
		await sees(editor.output, '2 items', `${SEED.overdue}-overdue-sample`, 'sample set to true');
		await sees(editor.output, 'from', 'null');
		await editor.closeNode();
		await editor.openNode(behind('Trigger'));
		await sees(editor.input, 'eventId');
		await editor.closeNode();
		await editor.openNode('Trigger');
		await editor.fill('instanceIds', `${SEED.running}, ${SEED.unknown}`);
		await editor.execute();
		await sees(editor.output, `contains ${SEED.unknown}, which`, 'Correct the IDs');
	});
});
