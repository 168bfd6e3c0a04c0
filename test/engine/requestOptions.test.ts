import { createServer, type IncomingMessage, request as forward, type Server } from 'node:http';

import { requestOptions } from '../../nodes/WorkflowInstanceService/n8n/requestOptions';
import { SEED } from '../../sandbox/service';
import { runNode } from '../harness';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const optionsOf = (options: unknown) =>
	requestOptions({ get: () => options, entered: () => options, timezone: 'UTC' });

describe("n8n's Request Options", () => {
	test.each([
		['http://proxy.example:8080', { protocol: 'http', host: 'proxy.example', port: 8080 }],
		['http://proxy.example', { protocol: 'http', host: 'proxy.example', port: 80 }],
		['https://proxy.example/', { protocol: 'https', host: 'proxy.example', port: 443 }],
		[
			'http://me:p%40ss@proxy.example:3128',
			{
				protocol: 'http',
				host: 'proxy.example',
				port: 3128,
				auth: { username: 'me', password: 'p@ss' },
			},
		],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('take the proxy %j', (proxy, expected) => {
		expect(optionsOf({ proxy }).http.proxy).toEqual(expected);
	});

	test.each(['proxy.example', 'file:///etc', 7, 'http://m%e@proxy.example', {}])(
		'refuse the proxy %j by its label',
		(proxy) => {
			expect(() => optionsOf({ proxy })).toThrow(
				/in 'Proxy' is not a web address$|^'Proxy' contains/,
			);
		},
	);

	test.each([
		[undefined, [0, 0, 0]],
		[{ batch: { batchSize: 1, batchInterval: 20 } }, [0, 20, 40]],
		[{ batch: { batchSize: 2, batchInterval: 20 } }, [0, 0, 20]],
		[{ batch: { batchSize: -1, batchInterval: 20 } }, [0, 20, 40]],
		[{ batch: { batchSize: 0, batchInterval: -5 } }, [0, 0, 0]],
		[{ batch: {} }, [0, 0, 0]],
	])('delay the items with Batching %j', (batching, expected) => {
		const { delayOf } = optionsOf({ batching });
		expect([0, 1, 2].map(delayOf)).toEqual(expected);
	});

	test('have a time-out of five minutes, and check certificates, unless told otherwise', () => {
		expect(optionsOf({}).http).toMatchObject({
			timeout: 300_000,
			skipSslCertificateValidation: false,
		});
		expect(optionsOf({ timeout: 50, allowUnauthorizedCerts: true }).http).toMatchObject({
			timeout: 50,
			skipSslCertificateValidation: true,
		});
	});
});

describe('a proxy', () => {
	const sandbox = useSandbox();
	let proxy: Server;
	let asked: string[];
	const portOf = (server: Server) => {
		const address = server.address();
		return typeof address === 'object' ? address?.port : undefined;
	};
	beforeEach(async () => {
		asked = [];
		proxy = createServer((incoming: IncomingMessage, answer) => {
			const { url = '', method, headers } = incoming;
			asked.push(`${headers['proxy-authorization'] ?? 'nobody'}: ${method} ${url}`);
			const onward = forward(url, { method, headers }, (response) => {
				answer.writeHead(response.statusCode ?? 502, response.headers);
				response.pipe(answer);
			});
			incoming.pipe(onward);
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	});
	afterEach(async () => await new Promise((resolve) => proxy.close(resolve)));

	test('is used for the requests of all items', async () => {
		const { outputs, error } = await runNode({
			parameters: {
				instanceId: ID_OF_ITEM,
				requestOptions: { proxy: `http://me:pass@127.0.0.1:${portOf(proxy)}` },
			},
			items: [{ id: SEED.running }, { id: SEED.overdue }],
			credentials: sandbox.credentials,
		});
		expect(error).toBeUndefined();
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([SEED.running, SEED.overdue]);
		const { baseUrl } = sandbox.credentials;
		const basic = `Basic ${Buffer.from('me:pass').toString('base64')}`;
		expect(asked.sort()).toEqual(
			[SEED.running, SEED.overdue].map((id) => `${basic}: GET ${baseUrl}/instances/${id}/`),
		);
	});

	test('that is not an address is refused before anything is sent', async () => {
		const { error } = await runNode({
			parameters: {
				instanceId: locator(SEED.running),
				requestOptions: { proxy: 'proxy.example' },
			},
			credentials: sandbox.credentials,
		});
		expect(error?.message).toBe('"proxy.example" in \'Proxy\' is not a web address');
		expect(sandbox.requests()).toEqual([]);
	});
});
