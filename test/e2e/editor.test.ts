import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import { SEED } from '../../sandbox/service';
import { describeInBrowser } from './support/browser';
import { behind, type Editor, SERVICE, serviceWorkflow } from './support/editor';
import { IS_OLDEST } from './support/stack';
import { useEditor } from './support/useEditor';

const NODE = 'Workflow Instance Service';

describeInBrowser('in the editor, a new user', () => {
	const { stack, openEditor } = useEditor();
	let editor: Editor;

	const newEditor = async (workflowId?: string) => {
		editor = await openEditor(workflowId);
	};
	const openWorkflow = async (services?: Record<string, INodeParameters>, items?: IDataObject[]) =>
		await newEditor(await stack().store(serviceWorkflow(services, items)));
	/** The form of the node as it is at first. */
	async function openForm(items?: IDataObject[]): Promise<void> {
		await openWorkflow(undefined, items);
		await editor.openNode(SERVICE);
	}
	/** The requests that the service received since the test began. */
	const received = () =>
		stack()
			.sandbox.control.log()
			.map(({ method, url }) => `${method} ${url}`);
	async function sees(where: Locator, ...texts: string[]): Promise<void> {
		for (const text of texts) await where.getByText(text).first().waitFor();
	}
	async function seesNot(where: Locator, text: string): Promise<void> {
		await where.getByText(text).first().waitFor({ state: 'hidden' });
	}

	describe('finds the node', () => {
		beforeAll(async () => await newEditor());

		test.each([
			'workflow instance',
			'process instance',
			'business process',
			'bpm',
			'deadline',
			'due date',
			'priority',
			'reassign',
			'bulk delete',
			'clean up',
			'next step',
			'task',
			'approval',
			'update instance',
			'delete instance',
			'remove',
			'tracking',
		])('by the words %p', async (words) => {
			await editor.search('nothing of this kind');
			await editor.found(NODE).waitFor({ state: 'hidden' });
			await editor.search(words);
			await editor.found(NODE).waitFor();
		});

		test('with what it does, and adds it', async () => {
			await editor.found(NODE).click();
			await sees(editor.nodePanel, 'Read, update and delete instances', 'On completed');
			// Without a node on the canvas, n8n shows what can start a workflow first.
			await editor.nodePanel.getByText('Actions (3)').click();
			await sees(
				editor.nodePanel,
				'Get an instance',
				'Update an instance',
				'Delete instances permanently',
			);
			await editor.nodePanel.getByText('Update an instance').click();
			await sees(editor.form, 'Credential', 'Instance', 'Fields to Update', 'Other Fields');
			await editor.closeNode();
			await sees(editor.node('Update an instance'), 'Update an instance', 'update: instance');
		});
	});

	describe('creates a credential', () => {
		const seesWhy = async (...texts: string[]) => {
			await editor.showWhy();
			await sees(editor.credentialForm, ...texts);
		};

		beforeAll(async () => {
			await openForm();
			await editor.newCredential();
		});

		test('with the address of a website', async () => {
			await editor.saveCredential({ baseUrl: stack().sandbox.url, apiKey: 'wrong' });
			await seesWhy('but not a Workflow Instance Service', "Check the 'Base URL'");
		});

		test('with a wrong key', async () => {
			await editor.saveCredential({ baseUrl: stack().sandbox.baseUrl, apiKey: 'wrong' });
			const words = ["The service refused the 'API Key' (401)", 'in the company settings'];
			await seesWhy(...(IS_OLDEST ? ['Authorization failed'] : words));
		});

		test('with the right values', async () => {
			await editor.saveCredential({ apiKey: stack().sandbox.apiKey });
			if (!IS_OLDEST) {
				await editor.credentialForm.waitFor({ state: 'hidden' });
				await editor.page.getByTestId('credential-edit-button').click();
			}
			await sees(editor.credentialForm, 'Connection tested successfully');
		});
	});

	describe('gets an instance', () => {
		beforeAll(async () => await openForm());

		test('and is told when nothing is filled in', async () => {
			await editor.tryToExecute();
			const words = IS_OLDEST ? 'The workflow has issues' : 'Parameter "Instance" is required';
			await sees(editor.notices, words);
			expect(received()).toEqual([]);
		});

		test('and is told when it is no ID', async () => {
			await editor.locate('instanceId', 'By ID', 'abc');
			await editor.execute();
			await sees(
				editor.output,
				'"abc" in \'Instance\' is not a valid instance ID',
				'Enter a whole number above zero, e.g. 123, or a link that ends in /instances/123/.',
			);
			expect(received()).toEqual([]);
		});

		test('by ID', async () => {
			await editor.locate('instanceId', 'By ID', String(SEED.running));
			await editor.execute();
			await sees(editor.output, '1 item', 'Onboarding of Aiko Tanaka', 'Preparation', 'remote');
			expect(received()).toEqual([`GET /api/instances/${SEED.running}/`]);
		});

		test('that does not exist', async () => {
			await editor.locate('instanceId', 'By ID', String(SEED.unknown));
			await editor.execute();
			await sees(
				editor.output,
				`The service did not find instance ${SEED.unknown} (404): Not found.`,
				'Check that the instance still exists and that the ID is right.',
			);
		});

		test('and is told which link is meant, when it is another one', async () => {
			const { url, baseUrl } = stack().sandbox;
			await editor.locate('instanceId', 'By URL', `${url}/public/abc`);
			await editor.execute();
			await sees(editor.output, "in 'Instance' is not a link to an instance", 'public_url');
			await editor.locate('instanceId', 'By URL', `${baseUrl}/processes/11/`);
			await editor.execute();
			await sees(editor.output, 'is a link to a process, not to an instance');
			expect(received()).toEqual([]);
		});

		test('by URL, and by a link under By ID', async () => {
			const link = (id: number) => `${stack().sandbox.baseUrl}/instances/${id}/`;
			await editor.locate('instanceId', 'By URL', link(SEED.running));
			await editor.execute();
			await sees(editor.output, 'Onboarding of Aiko Tanaka');
			await editor.locate('instanceId', 'By ID', link(SEED.fullyFilled));
			await editor.execute();
			await sees(editor.output, 'Invoice 20714 of Kestrel Electric', 'finance');
			expect(received()).toEqual([
				`GET /api/instances/${SEED.running}/`,
				`GET /api/instances/${SEED.fullyFilled}/`,
			]);
		});

		test('with the fields that were chosen', async () => {
			await editor.choose('output', 'Selected Fields');
			await sees(editor.form, 'Fields to Output');
			await editor.choose('outputFields', 'Public URL');
			await editor.page.keyboard.press('Escape');
			await editor.execute();
			await sees(editor.output, 'public_url');
			await seesNot(editor.output, 'started_time');
		});
	});

	describe('updates an instance', () => {
		const present = () => stack().sandbox.control.instance(SEED.fullyFilled);
		/** A new form of Update, with the instance chosen. */
		const openUpdate = async () => {
			await openForm();
			await editor.choose('operation', 'Update');
			await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
		};
		beforeAll(openUpdate);

		test('and is told when nothing was chosen', async () => {
			await editor.execute();
			await sees(
				editor.output,
				'Nothing to update was chosen',
				"Add a field in 'Fields to Update'",
			);
		});

		test('with Keep', async () => {
			const before = present();
			await editor.add('Fields to Update', 'Name');
			await editor.fill('name', 'Invoice 7');
			await editor.execute();
			await sees(editor.output, 'Invoice 7', 'finance', 'urgent');
			const { last_updated_time } = present() ?? {};
			expect(present()).toEqual({ ...before, name: 'Invoice 7', last_updated_time });
			const address = `/api/instances/${SEED.fullyFilled}/`;
			expect(received()).toEqual([`GET ${address}`, `PUT ${address}`]);
		});

		test('with tags that replace the current ones', async () => {
			await editor.add('Fields to Update', 'Tags');
			await sees(editor.form, 'Replaces all current tags. To keep them, use Add Tags.');
			await editor.fill('tags', 'north, south');
			await editor.execute();
			await sees(editor.output, 'north', 'south');
			await seesNot(editor.output, 'finance');
		});

		test('with an assignment beside the current ones', async () => {
			const before = present()?.step_assignments ?? [];
			await editor.add('Fields to Update', 'Add Step Assignments');
			await editor.addRow('addStepAssignments', 'Assignment');
			await sees(editor.form, 'The current assignments stay');
			await editor.fill('stepId', '1203');
			await editor.execute();
			await sees(editor.output, "'User ID' in 'Add Step Assignments' is empty");
			await editor.fill('userId', '7');
			await editor.execute();
			await seesNot(editor.output, 'is empty');
			await sees(editor.output, 'Invoice 7');
			expect(present()?.step_assignments).toEqual([...before, { step_id: 1203, user_id: 7 }]);
		});

		test('with an assignment that is not filled in, which does not vanish', async () => {
			await openUpdate();
			await editor.add('Fields to Update', 'Step Assignments');
			await editor.addRow('stepAssignments', 'Assignment');
			await sees(editor.form, 'Replaces all current assignments.');
			await editor.add('Fields to Update', 'Name');
			await editor.fill('name', 'Invoice 8');
			await editor.execute();
			await sees(editor.output, "'Step ID' in 'Step Assignments' is empty");
			expect(received()).toEqual([]);
		});

		test('that names itself', async () => {
			await openUpdate();
			await editor.add('Fields to Update', 'Automatic Naming');
			await editor.execute();
			await sees(editor.output, '1 item', 'finance');
			const [body] = stack()
				.sandbox.control.log()
				.filter(({ method }) => method === 'PUT')
				.map((entry): IDataObject => JSON.parse(entry.body));
			expect(body).not.toHaveProperty('name');
			expect(body).toHaveProperty('tags');
		});

		test('with Reset, which warns first and asks for the process', async () => {
			await openUpdate();
			await editor.add('Fields to Update', 'Name');
			await editor.fill('name', 'Invoice 7');
			await editor.add('Fields to Update', 'Tags');
			await editor.fill('tags', 'north, south');
			await seesNot(editor.form, 'Every field that is not filled in above is lost');
			await editor.choose('unsetFields', 'Reset');
			await sees(editor.form, 'Every field that is not filled in above is lost');
			await editor.execute();
			await sees(editor.output, "'Process' is empty", "Or set 'Other Fields' to Keep.");
			const process = SEED.processes.onboarding;
			await editor.locate('process', 'By ID', String(process));
			await editor.execute();
			await seesNot(editor.output, "'Process' is empty");
			await sees(editor.output, 'Invoice 7', 'south');
			expect(present()).toMatchObject({
				process: `${stack().sandbox.baseUrl}/processes/${process}/`,
				name: 'Invoice 7',
				tags: ['north', 'south'],
				deadline: null,
				step_assignments: [],
			});
			expect(received()).toEqual([`PUT /api/instances/${SEED.fullyFilled}/`]);
		});
	});

	describe('deletes instances', () => {
		const sent = () =>
			stack()
				.sandbox.control.log()
				.map(({ url, body }) => [url, body]);
		const isStored = (id: number) => stack().sandbox.control.instance(id) !== undefined;
		beforeAll(async () => await openForm());

		test('and is warned, and told when there is nothing to delete', async () => {
			await editor.choose('operation', 'Bulk Delete');
			await sees(
				editor.form,
				'Deleted instances cannot be brought back.',
				"'Instance IDs' is empty: enter the IDs",
			);
			await editor.execute();
			await sees(editor.output, 'There are no IDs to delete', "Check 'Instance IDs'");
		});

		test('with a Dry Run first', async () => {
			await editor.fill('instanceIds', '107, 108');
			await seesNot(editor.form, "'Instance IDs' is empty");
			await editor.add('Options', 'Dry Run');
			await sees(editor.form, 'Dry Run is on: nothing is deleted');
			await seesNot(editor.form, 'Deleted instances cannot be brought back.');
			await editor.execute();
			await sees(editor.output, '2 items', 'dryRun', 'were only listed, not deleted');
			expect(sent()).toEqual([]);
			expect([107, 108].map(isStored)).toEqual([true, true]);
		});

		test('for good', async () => {
			await editor.parameter('dryRun').click();
			await sees(editor.form, 'Deleted instances cannot be brought back.');
			await editor.execute();
			await seesNot(editor.output, 'dryRun');
			await sees(
				editor.output,
				'107',
				'108',
				'true',
				'means that the service accepted the request',
			);
			expect([107, 108].map(isStored)).toEqual([false, false]);
			expect(sent()).toEqual([['/api/instances/bulk/delete', '{"ids":[107,108]}']]);
		});

		test('of a field of the input items, all together', async () => {
			await openForm([{ id: 107 }, { id: 108 }, { id: 107 }]);
			await editor.choose('operation', 'Bulk Delete');
			await sees(editor.form, 'the IDs from all input items are deleted together');
			await editor.choose('idSource', 'Field of the Input Items');
			await sees(editor.form, 'ID Field', 'Only its name, e.g. id');
			await seesNot(editor.form, 'Instance IDs');
			await editor.execute();
			await sees(editor.output, '2 items', '107', '108', 'true');
			expect(sent()).toEqual([['/api/instances/bulk/delete', '{"ids":[107,108]}']]);
		});

		test('of a field that is dragged from the input', async () => {
			await openForm([{ number: 107 }]);
			await editor.choose('operation', 'Bulk Delete');
			await editor.choose('idSource', 'Field of the Input Items');
			await editor.drag('number', 'idField');
			await editor.execute();
			await sees(editor.output, '1 item', '107', 'true');
			expect(sent()).toEqual([['/api/instances/bulk/delete', '{"ids":[107]}']]);
		});
	});

	const OPERATIONS = {
		Get: { operation: 'get' },
		Update: { operation: 'update' },
		Delete: { operation: 'bulkDelete' },
		'Dry Run': { operation: 'bulkDelete', options: { dryRun: true } },
	};

	describe('who opens a workflow', () => {
		beforeAll(async () => await openWorkflow(OPERATIONS));

		test.each([
			['Get', 'get: instance'],
			['Update', 'update: instance'],
			['Delete', 'bulk delete: instance'],
			['Dry Run', 'bulk delete: instance (dry run)'],
		])('reads on the canvas what %s does', async (name, subtitle) => {
			await editor.node(name).getByText(subtitle, { exact: true }).waitFor();
		});

		test.each([
			['Get', ['id', 'name', 'stage', 'deadline', 'completed_time']],
			['Update', ['id', 'name', 'stage', 'deadline', 'completed_time']],
			['Delete', ['id', 'deleted']],
		])('sees before the first run which fields %s puts out', async (name, fields) => {
			await editor.closeNode();
			await editor.openNode(behind(name));
			await sees(editor.input, 'Preview', ...fields);
		});
	});
});
