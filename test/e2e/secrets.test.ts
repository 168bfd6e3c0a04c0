import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { createSandbox, type FaultAction, SEED, type SandboxHandle } from '../../sandbox/service';
import { leaks, spellingsOf } from '../engine/support/leaks';
import { httpRequestWorkflow } from './support/httpRequest';
import { type OnError, useStack } from './support/stack';

const KEY = 'kEy+of/the-sandbox=2741';
const stack = useStack({
	apiKey: KEY,
	env: { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file', CODE_ENABLE_STDOUT: 'true' },
});
const id = (value: number | string) => ({ __rl: true, mode: 'id', value: String(value) });

/** The files of n8n's folder, its database and its logs among them, in which the key stands. */
function filesWithKey(): string[] {
	const { folder } = stack();
	const spellings = spellingsOf(KEY).map((spelling) => spelling.toLowerCase());
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => {
			const text = readFileSync(file, 'latin1').toLowerCase();
			return spellings.some((spelling) => text.includes(spelling));
		})
		.map((file) => relative(folder, file));
}

const OPERATIONS: Array<[operation: string, parameters: INodeParameters]> = [
	['get', { instanceId: id(SEED.running), output: 'raw' }],
	['update', { instanceId: id(SEED.fullyFilled), updateFields: { priority: 'H' } }],
	['bulkDelete', { instanceIds: '107, 108' }],
];

describe('The API key', () => {
	let elsewhere: SandboxHandle;
	beforeAll(async () => {
		elsewhere = await createSandbox();
	});
	afterAll(async () => {
		await elsewhere.close();
	});

	const repeated = (status: number): FaultAction => ({
		type: 'respond',
		status,
		body: JSON.stringify({
			id: SEED.running,
			detail: `Refused: Api-Key ${KEY}`,
			name: `Basic ${Buffer.from(KEY).toString('base64')} ${encodeURIComponent(KEY)}`,
		}),
	});
	const faults = (): Array<FaultAction | undefined> => [
		undefined,
		repeated(401),
		repeated(400),
		repeated(500),
		{ type: 'redirect', location: `${elsewhere.baseUrl}/instances/101/` },
		{ type: 'reset' },
		{ type: 'emptyBody' },
	];

	test.each(OPERATIONS)('is nowhere after %s, whatever happened', async (operation, parameters) => {
		const { control } = stack().sandbox;
		const settings: OnError[] = ['stopWorkflow', 'continueErrorOutput'];
		for (const action of faults()) {
			for (const onError of settings) {
				control.reset();
				if (action !== undefined) control.addFault({ action });
				const own = { operation, ...parameters, options: { maxRetries: 0 } };
				const outcome = await stack().run(own, [{}], onError);
				expect(control.log().length).toBeGreaterThan(0);
				expect(leaks(outcome, KEY)).toEqual([]);
			}
		}
		expect(filesWithKey()).toEqual([]);
		expect(stack().n8n.logs()).toMatch(/debug/i);
		expect(leaks(stack().n8n.logs(), KEY)).toEqual([]);
		expect(elsewhere.control.log()).toEqual([]);
	});

	test('is found when something repeats it: the search works', async () => {
		const { n8n, sandbox, credential } = stack();
		sandbox.control.addFault({ action: repeated(200) });
		const url = `${sandbox.baseUrl}/instances/101/`;
		const workflow = httpRequestWorkflow({ url }, '[{}]', credential);
		const execution = await n8n.rest.runWorkflow(await n8n.rest.createWorkflow(workflow));
		expect(leaks(execution, KEY)).not.toEqual([]);
		expect(filesWithKey()).toContainEqual(expect.stringMatching(/database\.sqlite/));
	});
});
