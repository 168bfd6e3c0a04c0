import { SEED } from '../../sandbox/service';
import type { Editor } from '../e2e/support/editor';

/** Fills in Update so that two fields of an instance change. */
export async function fillUpdate(editor: Editor): Promise<void> {
	await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
	await editor.add('Fields to Update', 'Priority');
	await editor.choose('priority', 'Very High');
	await editor.add('Fields to Update', 'Add Tags');
	await editor.fill('addTags', 'escalated');
}

/** Executes the node, and shows its output once it has a text. */
export async function execute(
	editor: Editor,
	view: 'Schema' | 'Table',
	text: string,
): Promise<void> {
	await editor.execute();
	await editor.click(editor.output.getByText(view, { exact: true }));
	await editor.output.getByText(text).first().waitFor();
}
