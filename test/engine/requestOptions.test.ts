import { createServer } from 'node:http';

import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { batchDelay, httpOptions } from '../../nodes/WorkflowInstanceService/n8n/requestOptions';
import { SEED } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { bodies, itemsOf, stored } from './support/instances';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
const entered = (options: unknown) => ({ get: () => options });

describe("n8n's Request Options", () => {
	const run = async (options: INodeParameters, credentials = {}) => {
		const parameters = { instanceId: locator(SEED.running), requestOptions: options };
		const settings = { credentials: { ...sandbox.credentials, ...credentials } };
		return await sandbox.run(parameters, [{}], settings);
	};
	const PROXY = { protocol: 'http', host: 'proxy.example', port: 80 };
	const AUTH = { username: 'me', password: 'p@ss' };

	test.each<[options: object, http: object]>([
		[{}, { timeout: 300_000, skipSslCertificateValidation: false, proxy: undefined }],
		[{ timeout: 50 }, { timeout: 50 }],
		[{ allowUnauthorizedCerts: true }, { skipSslCertificateValidation: true }],
		[{ allowUnauthorizedCerts: 'false' }, { skipSslCertificateValidation: false }],
		[{ proxy: '' }, { proxy: undefined }],
		[{ proxy: '\u200bhttp://proxy.example\u200b' }, { proxy: PROXY }],
		[{ proxy: 'https://proxy.example/' }, { proxy: { ...PROXY, protocol: 'https', port: 443 } }],
		[{ proxy: 'http://me:p%40ss@proxy.example:81' }, { proxy: { ...PROXY, port: 81, auth: AUTH } }],
	])('%j are applied to each request', (options, http) => {
		expect(httpOptions(entered(options))).toMatchObject(http);
	});

	test.each([
		[{ batchSize: 2, batchInterval: 20 }, [0, 0, 20]],
		[{ batchSize: -1, batchInterval: 20 }, [0, 20, 40]],
		[{ batchSize: 0, batchInterval: -5 }, [0, 0, 0]],
	])('Batching %j starts three items after %j milliseconds', (batch, expected) => {
		const delayOf = batchDelay(entered({ batching: { batch } }));
		expect([0, 1, 2].map(delayOf)).toEqual(expected);
	});

	const PROXIES = [
		...['me:s3cret@x:y', 'file://me:s3cret@/', 'http://m%e:s3cret@x', 'http://m%ff:s3cret@x'],
		...['socks5://me:s3cret@127.0.0.1:9', {}],
	];
	test.each<[option: string, message: RegExp, values: NodeParameterValueType[]]>([
		// Not quoted: it may contain a password.
		['proxy', /^'Proxy' is not the URL of an HTTP proxy$/, PROXIES],
		['timeout', /'Timeout'/, [-1, 1e12, 'soon', {}]],
	])('%s is rejected by label (%p), and nothing is sent: %j', async (option, message, values) => {
		for (const value of values) {
			expect((await run({ [option]: value })).error?.message).toMatch(message);
		}
		expect(sandbox.requests()).toEqual([]);
	});

	test('are read for each item', async () => {
		const requestOptions = { timeout: '={{ $json.timeout }}' };
		const parameters = { instanceId: locator(SEED.running), requestOptions };
		const items = [{ timeout: 'soon' }, { timeout: 60_000 }];
		const { outputs } = await sandbox.run(parameters, items, CONTINUE);
		const listed = outputs[0]?.map(({ json }) => json.error ?? json.id);
		expect(listed).toEqual([expect.stringContaining("'Timeout'"), SEED.running]);
	});

	test.each(['none', 'domains'])('cannot show a key that is limited to %s', async (limit) => {
		const limited = { allowedHttpRequestDomains: limit };
		for (const [label, risk] of [
			['Proxy', { proxy: 'http://127.0.0.1:9' }],
			['Ignore SSL Issues (Insecure)', { allowUnauthorizedCerts: true }],
		] as const) {
			const { error } = await run(risk, limited);
			expect(error?.message).toContain(`'${label}' can't be used with this credential`);
		}
		expect((await run({ timeout: 60_000 }, limited)).outputs[0]).toHaveLength(1);
		expect(sandbox.requests()).toHaveLength(1);
	});
});

test.each(['Request Options', 'HTTP_PROXY'])('The proxy of %s is used', async (from) => {
	const requested: string[] = [];
	const proxy = createServer(({ url = '', headers }, response) => {
		requested.push(`${headers['proxy-authorization']}: ${url}`);
		const id = Number(/(\d+)\/$/.exec(url)?.[1]);
		response.end(JSON.stringify({ id, process: 'http://service.example/api/processes/1/' }));
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const address = proxy.address();
	const port = typeof address === 'object' ? address?.port : address;
	const url = `http://me:pass@127.0.0.1:${port}`;
	const requestOptions = from === 'HTTP_PROXY' ? {} : { proxy: url };
	if (from === 'HTTP_PROXY') process.env.HTTP_PROXY = url;
	const parameters = { instanceId: ID_OF_ITEM, requestOptions };
	const { outputs } = await sandbox.run(parameters, [{ id: 7 }, { id: 8 }]);
	delete process.env.HTTP_PROXY;
	await new Promise((resolve) => proxy.close(resolve));
	expect(outputs[0]?.map(({ json }) => json.id)).toEqual([7, 8]);
	const start = `Basic ${btoa('me:pass')}: ${sandbox.credentials.baseUrl}/instances`;
	expect(requested.sort()).toEqual([`${start}/7/`, `${start}/8/`]);
});

describe('Batching', () => {
	const clock = useVirtualClock();
	const ids = [SEED.running, SEED.fullyFilled, SEED.overdue, SEED.aborted];
	const items = itemsOf(ids);
	const UPDATE = { operation: 'update', instanceId: ID_OF_ITEM, updateFields: { name: 'New' } };
	const run = async (parameters: INodeParameters, batchSize: number, of: IDataObject[] = items) => {
		const batching = { batch: { batchSize, batchInterval: 500 } };
		return await sandbox.run({ ...parameters, requestOptions: { batching } }, of);
	};

	test('starts the items in order, with both of the requests of an update', async () => {
		const { outputs } = await run(UPDATE, 2);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
		for (const id of ids) expect(stored(sandbox, id).name).toBe('New');
		const methods = sandbox.log().map(({ method }) => method);
		expect(methods.slice(0, 4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
		expect(methods.slice(4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
	});

	test('starts the items of a batch in order, though each is read a little later', async () => {
		const { elapsed } = systemClock;
		let reads = 0;
		systemClock.elapsed = () => elapsed() + reads++;
		const name = '={{ $json.name }}';
		const twice = ['A', 'B', 'C', 'D'].map((each) => ({ id: SEED.running, name: each }));
		await run({ ...UPDATE, updateFields: { name } }, 2, twice);
		expect(bodies(sandbox, 'PUT').map((body) => body.name)).toEqual(['A', 'B', 'C', 'D']);
	});

	test('does not split the merged request of Bulk Delete', async () => {
		const { outputs } = await run(DELETE_IDS, 1);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
		expect(sandbox.requests()).toHaveLength(1);
	});

	test.each(['GET', 'PUT'])('sends nothing after a first %s that is rejected', async (method) => {
		sandbox.fault(respond(403), { method, ids: ids.slice(0, 1), times: 0 });
		const { error } = await run(UPDATE, 1);
		await clock().sleep(600_000);
		expect(error).toMatchObject({ httpCode: '403', itemIndex: 0 });
		for (const id of ids) expect(stored(sandbox, id).name).not.toBe('New');
		for (const { url } of sandbox.log()) expect(url).toContain(`/${ids[0]}/`);
	});
});
