import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { asWorkflow, type Workflow } from '../../../sandbox/n8n/workflowFile';

/** The folder of the workflows that users import. */
export const EXAMPLES = resolve(__dirname, '../../../examples');

/**
 * A workflow of the examples, by the name of its file.
 *
 * @param changes what its user changes, as texts in the file and what takes their places
 * @throws when a text to change is not there, or the file is not an exported workflow
 */
export function recipe(file: string, changes: Record<string, string> = {}): Workflow {
	let text = readFileSync(resolve(EXAMPLES, file), 'utf8');
	for (const [before, after] of Object.entries(changes)) {
		if (!text.includes(before)) throw new Error(`${file} has no ${before}.`);
		text = text.replace(before, after);
	}
	return asWorkflow(JSON.parse(text), file);
}
