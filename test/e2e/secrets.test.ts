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

/** The files of n8n that contain a text, including its database and its logs. */
function filesWith(wanted: string): string[] {
	return readdirSync(stack().folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => {
			const text = readFileSync(file, 'latin1').toLowerCase();
			return spellingsOf(wanted).some((spelling) => text.includes(spelling.toLowerCase()));
		});
}

const OPERATIONS: INodeParameters[] = [
	{ operation: 'get', instanceId: locator(SEED.running), output: 'raw' },
	{
		operation: 'update',
		instanceId: locator(SEED.fullyFilled),
		updateFields: { priority: 'H' },
	},
	{ operation: 'bulkDelete', instanceIds: '107, 108' },
];

const body = JSON.stringify({
	id: SEED.running,
	detail: `Refused: Api-Key ${KEY}`,
	name: `Basic ${Buffer.from(KEY).toString('base64')} ${encodeURIComponent(KEY)}`,
});
const FAULTS: Array<FaultAction | undefined> = [
	undefined,
	...[401, 400, 500].map((status): FaultAction => ({ type: 'respond', status, body })),
	{ type: 'respond', status: 302, headers: { location: 'https://other.example/' } },
	{ type: 'reset' },
	{ type: 'respond', status: 200, headers: { 'content-type': 'application/json' } },
];

test('the API key is in no file, log or execution, whatever the service responds', async () => {
	const { run, sandbox, n8n, folder } = stack();
	const onErrors = ['stopWorkflow', 'continueErrorOutput'] as const;
	const cases = OPERATIONS.flatMap((parameters) =>
		FAULTS.flatMap((action) => onErrors.map((onError) => ({ parameters, action, onError }))),
	);
	for (const { parameters, action, onError } of cases) {
		sandbox.control.reset();
		if (action !== undefined) sandbox.control.addFault({ action });
		const execution = await run(oneNodeWorkflow(parameters, [{}], onError));
		expect(sandbox.control.log().length).toBeGreaterThan(0);
		expect(leaks(execution, KEY)).toEqual([]);
	}
	expect(filesWith('One node')).toContain(join(folder, '.n8n/database.sqlite'));
	expect(filesWith(KEY)).toEqual([]);
	expect(n8n.output()).toMatch(/debug/i);
	expect(leaks(n8n.output(), KEY)).toEqual([]);
});
