import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { TRIGGER_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { triggerWorkflow } from './support/active';
import { describeInBrowser } from './support/browser';
import { behind, type Editor } from './support/editor';
import { useEditor } from './support/useEditor';

const NODE = 'Workflow Instance Service';

describeInBrowser('in the editor, a new user of the trigger', () => {
	const { stack, openEditor } = useEditor();
	let editor: Editor;

	const newEditor = async (workflowId?: string) => {
		editor = await openEditor(workflowId);
	};
	/** The trigger, before a node that uses its output. */
	async function openTrigger(): Promise<void> {
		const { nodes } = triggerWorkflow({ instanceIds: '' });
		const next = workflowNode(behind('Trigger'), 'n8n-nodes-base.set', 3.4, {}, [220, 0]);
		const links = [{ from: 'Trigger', to: behind('Trigger') }];
		await newEditor(await stack().store(newWorkflow('Trigger', [...nodes, next], links)));
		await editor.openNode('Trigger');
	}

	test('is given the fields of the output by n8n, which previews none of a trigger', async () => {
		const { url } = stack().n8n;
		const response = await fetch(`${url}/schemas/${TRIGGER_TYPE}/1.0.0.json`);
		expect(await response.json()).toMatchObject({ properties: { eventId: { type: 'string' } } });
		await newEditor();
	});

	test.each(['overdue', 'process instance', 'instance finished', 'watch'])(
		'finds it beside the node, by the word %p',
		async (words) => {
			await editor.search('nothing of this kind');
			await editor.found(NODE).waitFor({ state: 'hidden' });
			await editor.search(words);
			await editor.found(NODE).first().waitFor();
		},
	);

	test('adds it by what it is to wait for', async () => {
		await editor.found(NODE).first().click();
		await editor.nodePanel.getByText('On Overdue').click();
		await editor.form.getByText('Instance IDs').waitFor();
		await editor.parameter('events').getByText('Overdue').waitFor();
		await editor.closeNode();
		await editor.page.locator('[data-test-id="canvas-node"]').getByText('overdue').last().waitFor();
	});

	test('chooses events and options, and gets samples', async () => {
		await openTrigger();
		await editor.fill('instanceIds', `${SEED.running}, ${SEED.overdue}`);
		await editor.choose('events', 'Overdue');
		await editor.page.keyboard.press('Escape');
		await editor.add('Options', 'Emit Initial State');
		await editor.output.getByText('A test returns samples').waitFor();
		await editor.execute();
		await editor.output.getByText('2 items').waitFor();
		await editor.output.getByText(`${SEED.overdue}-overdue-sample`).first().waitFor();
		await editor.closeNode();
		await editor.openNode(behind('Trigger'));
		await editor.input.getByText('eventId').first().waitFor();
	});

	test('reads what is missing', async () => {
		await openTrigger();
		await editor.fill('instanceIds', '101,x');
		await editor.execute();
		await editor.output
			.getByText('"x" in \'Instance IDs\' is not a valid instance ID')
			.first()
			.waitFor();
	});
});
