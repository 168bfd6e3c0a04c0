import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { outputItems } from '../../sandbox/n8n/executions';
import { SEED } from '../../sandbox/service';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { IS_OLDEST, useStack } from './support/stack';

const stack = useStack();
const test_ = async (data: Record<string, unknown>) =>
	await stack().n8n.rest.testCredential(CREDENTIAL_TYPE, data);

/** Another website: whatever is asked for, it answers a page with the status in the first path segment. */
let website: Server;
let address: string;
beforeAll(async () => {
	website = createServer((request, response) => {
		const [, status] = (request.url ?? '').split('/');
		response.writeHead(Number(status), { 'content-type': 'text/html' });
		response.end('<!doctype html><title>Some website</title>');
	});
	await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
	const { port } = website.address() as AddressInfo;
	address = `http://127.0.0.1:${port}`;
});
afterAll(() => website.close());

describe('the credential test passes', () => {
	test('for a good key', async () => {
		const { baseUrl, apiKey } = stack().sandbox;
		expect(await test_({ baseUrl, apiKey })).toMatchObject({ status: 'OK' });
	});

	test('for a base URL and a key as people paste them', async () => {
		const { baseUrl, apiKey } = stack().sandbox;
		const pasted = { baseUrl: `  ${baseUrl}// `, apiKey: ` Api-Key ${apiKey}\n` };
		expect(await test_(pasted)).toMatchObject({ status: 'OK' });
	});
});

describe('the credential test says what to do', () => {
	const says = async (data: Record<string, unknown>, words: RegExp) => {
		const { status, message } = await test_(data);
		expect(status).toBe('Error');
		// The oldest n8n keeps no cause of what is thrown, so it refuses in words of its own.
		expect(message).toMatch(IS_OLDEST ? /./ : words);
	};

	test('about a wrong key', async () => {
		await says({ baseUrl: stack().sandbox.baseUrl, apiKey: 'wrong' }, /refused the 'API Key'/);
	});

	test('about a key that may not be used', async () => {
		const { baseUrl, forbiddenKey } = stack().sandbox;
		await says({ baseUrl, apiKey: forbiddenKey }, /does not allow it/);
	});

	test('about the base URL without /api', async () => {
		const { url, apiKey } = stack().sandbox;
		await says({ baseUrl: url, apiKey }, /not a Workflow Instance Service/);
	});

	test.each([
		[200, /not a Workflow Instance Service/],
		[302, /redirects/],
		[503, /not available/],
	])('about a website that answers %i', async (status, words) => {
		await says({ baseUrl: `${address}/${status}`, apiKey: 'k' }, words);
	});

	test('about text that is no web address', async () => {
		await says({ baseUrl: 'example.com/api', apiKey: 'k' }, /'Base URL'/);
	});

	test('about a host that does not answer', async () => {
		await says({ baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k' }, /ECONNREFUSED/);
	});
});

describe("n8n's HTTP Request node with the credential", () => {
	const request = async (url: string) => {
		const id = await stack().store(
			newWorkflow(
				'HTTP Request',
				[
					workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
					workflowNode('Request', 'n8n-nodes-base.httpRequest', 4.2, {
						url,
						authentication: 'predefinedCredentialType',
						nodeCredentialType: CREDENTIAL_TYPE,
						options: {},
					}),
				],
				[{ from: 'Start', to: 'Request' }],
			),
		);
		return await stack().n8n.rest.runWorkflow(id);
	};

	test('reaches the service', async () => {
		const execution = await request(`${stack().sandbox.baseUrl}/instances/${SEED.running}/`);
		expect(outputItems(execution, 'Request')[0]?.json.id).toBe(SEED.running);
	});

	test('does not take the key to another host', async () => {
		const execution = await request(`${address}/200`);
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error?.message).toContain('is only sent to');
	});
});
