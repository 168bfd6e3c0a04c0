import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { asWorkflow, type Workflow } from '../../../sandbox/n8n/workflowFile';

export const EXAMPLES = resolve(__dirname, '../../../examples');

/** What the user of a recipe changes once its preview looks right. */
export const NO_DRY_RUN = { '"dryRun": true': '"dryRun": false' };

/** The IDs that the user of a trigger enters. */
export const WATCHED = { '"instanceIds": ""': '"instanceIds": "101, 102, 104, 106"' };

/** Rows for *update-from-table.json*, two of which are rejected. */
export const SAMPLE_ROWS = [
	{ instance_id: 101, deadline: '2027-03-31', priority: 'High' },
	{ instance_id: 102, deadline: '2027-04-15T17:00', priority: 'Very High' },
	{ instance_id: 104, priority: 'High' },
	{ instance_id: 106, deadline: '2027-04-30', priority: 'urgent' },
	{ instance_id: 109, deadline: '2027-04-15T17:00+02:00', priority: 'Regular' },
	{ instance_id: 9_000_001, deadline: '2027-04-30', priority: 'Regular' },
];

/**
 * A workflow of the examples, by its file name.
 *
 * @param changes what its user changes, as texts in the file and their replacements
 * @param entered the values of the fields that its user fills in, in order
 * @throws when a text to change is not there, or the file is not an exported workflow
 */
export function recipe(
	file: string,
	changes: Record<string, string> = {},
	...entered: Array<string | number>
): Workflow {
	let text = readFileSync(resolve(EXAMPLES, file), 'utf8');
	for (const [before, after] of Object.entries(changes)) {
		if (!text.includes(before)) throw new Error(`${file} has no ${before}.`);
		text = text.replaceAll(before, after);
	}
	for (const value of entered) text = text.replace('"value": ""', `"value": "${value}"`);
	return asWorkflow(JSON.parse(text), file);
}
