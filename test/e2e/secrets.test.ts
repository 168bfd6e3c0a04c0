import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { leaks, spellingsOf } from '../engine/support/leaks';
import { locator, oneNodeWorkflow, useStack } from './support/stack';

const KEY = 'kEy+of/the-sandbox=2741';
const stack = useStack({
	apiKey: KEY,
	env: { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file', CODE_ENABLE_STDOUT: 'true' },
});

/** The files of n8n, its database and its logs among them, that contain a text. */
function filesWith(wanted: string): string[] {
	return readdirSync(stack().folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => {
			const text = readFileSync(file, 'latin1').toLowerCase();
			return spellingsOf(wanted).some((spelling) => text.includes(spelling.toLowerCase()));
		});
}

const OPERATIONS: Array<[operation: string, parameters: INodeParameters]> = [
	['get', { instanceId: locator(SEED.running), output: 'raw' }],
	['update', { instanceId: locator(SEED.fullyFilled), updateFields: { priority: 'H' } }],
	['bulkDelete', { instanceIds: '107, 108' }],
];

const repeated = (status: number): FaultAction => ({
	type: 'respond',
	status,
	body: JSON.stringify({
		id: SEED.running,
		detail: `Refused: Api-Key ${KEY}`,
		name: `Basic ${Buffer.from(KEY).toString('base64')} ${encodeURIComponent(KEY)}`,
	}),
});
const FAULTS: Array<FaultAction | undefined> = [
	undefined,
	...[401, 400, 500].map(repeated),
	{ type: 'respond', status: 302, headers: { location: 'https://other.example/' } },
	{ type: 'reset' },
	{ type: 'respond', status: 200, contentType: 'application/json' },
];

test.each(OPERATIONS)(
	'the API key is in no file, log or execution after %s, whatever the service responds',
	async (operation, parameters) => {
		const { run, sandbox, n8n } = stack();
		const own = { operation, ...parameters };
		for (const action of FAULTS) {
			for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
				sandbox.control.reset();
				if (action !== undefined) sandbox.control.addFault({ action });
				const execution = await run(oneNodeWorkflow(own, [{}], onError));
				expect(sandbox.control.log().length).toBeGreaterThan(0);
				expect(leaks(execution, KEY)).toEqual([]);
			}
		}
		expect(filesWith('One node')).toContain(join(stack().folder, '.n8n/database.sqlite'));
		expect(filesWith(KEY)).toEqual([]);
		expect(n8n.output()).toMatch(/debug/i);
		expect(leaks(n8n.output(), KEY)).toEqual([]);
	},
);
