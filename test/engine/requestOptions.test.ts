import { createServer } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { requestOptions } from '../../nodes/WorkflowInstanceService/n8n/requestOptions';
import { SEED } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { stored } from './support/instances';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

const optionsOf = (options: unknown) => requestOptions({ get: () => options });

describe("n8n's Request Options", () => {
	const sandbox = useSandbox();
	const PROXY = { protocol: 'http', host: 'proxy.example' };
	const AUTH = { username: 'me', password: 'p@ss' };

	test.each([
		['http://proxy.example', { ...PROXY, port: 80 }],
		['https://proxy.example/', { ...PROXY, protocol: 'https', port: 443 }],
		['http://me:p%40ss@proxy.example:3128', { ...PROXY, port: 3128, auth: AUTH }],
		['', undefined],
		[null, undefined],
	])('take the proxy %j', (proxy, expected) => {
		expect(optionsOf({ proxy }).http.proxy).toEqual(expected);
	});

	test.each(['me:s3cret@proxy.example:x', 'file://me:s3cret@/', 'http://m%e:s3cret@x', {}])(
		'refuse the proxy %j by its label, and do not quote it',
		(proxy) => {
			expect(() => optionsOf({ proxy })).toThrow(/^'Proxy' is not a valid URL$/);
		},
	);

	test.each([
		[undefined, [0, 0, 0]],
		[{ batch: { batchSize: 2, batchInterval: 20 } }, [0, 0, 20]],
		[{ batch: { batchSize: -1, batchInterval: 20 } }, [0, 20, 40]],
		[{ batch: { batchSize: 0, batchInterval: -5 } }, [0, 0, 0]],
	])('delay the items with Batching %j', (batching, expected) => {
		const { delayOf } = optionsOf({ batching });
		expect([0, 1, 2].map(delayOf)).toEqual(expected);
	});

	test.each([-1, 1e12, 'soon', {}])('refuse the timeout %j by its label', (timeout) => {
		expect(() => optionsOf({ timeout })).toThrow(/'Timeout'/);
	});

	test.each(['none', 'domains'])('cannot show a key limited to %s', async (limit) => {
		const credentials = { ...sandbox.credentials, allowedHttpRequestDomains: limit };
		const instanceId = locator(SEED.running);
		const run = async (requestOptions: INodeParameters) =>
			await sandbox.run({ instanceId, requestOptions }, [{}], { credentials });
		for (const [label, risk] of [
			['Proxy', { proxy: 'http://127.0.0.1:9' }],
			['Ignore SSL Issues (Insecure)', { allowUnauthorizedCerts: true }],
		] as const) {
			const { error } = await run(risk);
			expect(error?.message).toContain(`'${label}' can't be used with this credential`);
		}
		expect((await run({ timeout: 60_000 })).outputs[0]).toHaveLength(1);
		expect(sandbox.requests()).toHaveLength(1);
	});

	test('send the requests of all items by a proxy', async () => {
		const asked: string[] = [];
		const proxy = createServer(({ url = '', headers }, response) => {
			asked.push(`${headers['proxy-authorization']}: ${url}`);
			const id = Number(/(\d+)\/$/.exec(url)?.[1]);
			response.end(JSON.stringify({ id, process: 'http://service.example/api/processes/1/' }));
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		const address = proxy.address();
		const port = typeof address === 'object' ? address?.port : address;
		const requestOptions = { proxy: `http://me:pass@127.0.0.1:${port}` };
		const items = [{ id: 7 }, { id: 8 }];
		const { outputs } = await sandbox.run({ instanceId: ID_OF_ITEM, requestOptions }, items);
		await new Promise((resolve) => proxy.close(resolve));
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([7, 8]);
		const start = `Basic ${btoa('me:pass')}: ${sandbox.credentials.baseUrl}/instances`;
		expect(asked.sort()).toEqual([`${start}/7/`, `${start}/8/`]);
	});

	test('have a timeout and a way with certificates', () => {
		const [usual, chosen] = [{}, { timeout: 50, allowUnauthorizedCerts: true }].map(optionsOf);
		expect(usual?.http).toMatchObject({ timeout: 300_000, skipSslCertificateValidation: false });
		expect(chosen?.http).toMatchObject({ timeout: 50, skipSslCertificateValidation: true });
	});
});

describe('Batching', () => {
	const clock = useVirtualClock();
	const sandbox = useSandbox();
	const { run } = sandbox;
	const ids = [SEED.running, SEED.fullyFilled, SEED.overdue, SEED.aborted];
	const items = ids.map((id) => ({ id }));
	const inBatches = (batchSize: number, batchInterval: number): INodeParameters => ({
		requestOptions: { batching: { batch: { batchSize, batchInterval } } },
	});
	const UPDATE = { operation: 'update', instanceId: ID_OF_ITEM, updateFields: { name: 'New' } };
	const BULK_DELETE = { operation: 'bulkDelete', idSource: 'inputField', idField: 'id' };
	const named = () => ids.map((id) => stored(sandbox, id).name === 'New');
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => unhandled.push(reason);
	beforeAll(() => process.on('unhandledRejection', note));
	afterAll(() => process.off('unhandledRejection', note));
	afterEach(() => expect(unhandled).toEqual([]));

	test('starts the items in turn, with both of the requests of an update', async () => {
		const { outputs } = await run({ ...UPDATE, ...inBatches(2, 500) }, items);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
		expect(named()).toEqual([true, true, true, true]);
		const methods = sandbox.log().map(({ method }) => method);
		expect(methods.slice(0, 4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
		expect(methods.slice(4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
	});

	test('does not take the merged request of Bulk Delete apart', async () => {
		const { outputs } = await run({ ...BULK_DELETE, ...inBatches(1, 40) }, items);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
		expect(sandbox.control.stats().requests).toBe(1);
	});

	test.each(['GET', 'PUT'])('sends nothing behind a first %s that stops', async (method) => {
		const match = { method, ids: ids.slice(0, 1) };
		sandbox.control.addFault({ match, times: 0, action: { type: 'respond', status: 403 } });
		const { error } = await run({ ...UPDATE, ...inBatches(1, 500) }, items);
		await clock().sleep(600_000);
		expect(error).toMatchObject({ httpCode: '403', itemIndex: 0 });
		expect(named()).toEqual([false, false, false, false]);
		for (const { url } of sandbox.log()) expect(url).toContain(`/${ids[0]}/`);
	});

	test.each([UPDATE, BULK_DELETE])('sends nothing of $operation with a bad item', async (given) => {
		for (const bad of [0, 3]) {
			const { error } = await run(
				{ ...given, ...inBatches(1, 40) },
				items.map((item, index) => (index === bad ? { id: 'x' } : item)),
			);
			await clock().sleep(600_000);
			expect(error?.itemIndex).toBe(bad);
			expect(sandbox.requests()).toEqual([]);
		}
	});
});
