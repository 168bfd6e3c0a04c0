import { createSandbox, SEED } from '../../sandbox/service';
import type { SandboxHandle } from '../../sandbox/service';
import { clientOf, parseObject, sendRaw } from './support';

describe('the strictness of the sandbox', () => {
	let sandbox: SandboxHandle;
	let client: ReturnType<typeof clientOf>;

	beforeAll(async () => {
		sandbox = await createSandbox();
		client = clientOf(sandbox);
	});
	afterAll(async () => await sandbox.close());

	describe('paths', () => {
		it.each([
			'/instances/101',
			'/instances/101//',
			'/instances//',
			'/instances/',
			'/instances/1.0/',
			'/instances/1e2/',
			'/instances/-1/',
			'/instances/0101/',
			'/instances/%31%30%31/',
			'/instances/1/../101/',
			'/instances/101%2F/',
			'/instances/%E0%A4%A/',
			'/instances/bulk/delete/',
			'/instances/bulk/',
			'/processes/11/',
			'/users/',
			'',
			'/',
			'?x=1',
			'/INSTANCES/101/',
		])('answers JSON 404 for /api%s', async (path) => {
			const { status, headers, text } = await client.call(path);
			expect(status).toBe(404);
			expect(headers['content-type']).toBe('application/json');
			expect(text).toBe('{"detail":"Not found."}');
		});

		it.each(['/', '/instances/101/', '/apiary', '//api/instances/101/', '/API/instances/101/'])(
			'answers an HTML page for %s',
			async (path) => {
				const { status, headers, text } = await sendRaw(sandbox.url, path);
				expect(status).toBe(404);
				expect(headers['content-type']).toMatch(/^text\/html/);
				expect(text).toContain('<title>Page not found</title>');
			},
		);

		it('answers 404 before it asks for a key', async () => {
			expect((await sendRaw(sandbox.url, '/api/nothing/')).status).toBe(404);
		});
	});

	describe('methods', () => {
		it.each([
			['POST', '/instances/101/', 'GET, PUT'],
			['PATCH', '/instances/101/', 'GET, PUT'],
			['DELETE', '/instances/101/', 'GET, PUT'],
			['OPTIONS', '/instances/101/', 'GET, PUT'],
			['PROPFIND', '/instances/101/', 'GET, PUT'],
			['GET', '/instances/bulk/delete', 'POST'],
			['DELETE', '/instances/bulk/delete', 'POST'],
		])('answers 405 for %s %s', async (method, path, allow) => {
			const { status, headers, text } = await client.call(path, { method });
			expect(status).toBe(405);
			expect(headers.allow).toBe(allow);
			expect(parseObject(text)).toEqual({ detail: `Method "${method}" not allowed.` });
		});

		it('answers 405 for HEAD, without a body', async () => {
			const { status, text } = await client.call('/instances/101/', { method: 'HEAD' });
			expect(status).toBe(405);
			expect(text).toBe('');
		});
	});

	describe('keys', () => {
		const authorize = async (authorization?: string) =>
			await sendRaw(sandbox.url, '/api/instances/101/', {
				headers: authorization === undefined ? {} : { authorization },
			});

		it('answers 401 without a key', async () => {
			const { status, headers, text } = await authorize();
			expect(status).toBe(401);
			expect(headers['www-authenticate']).toBe('Api-Key');
			expect(parseObject(text)).toEqual({
				detail: 'Authentication credentials were not provided.',
			});
		});

		it.each([
			'Api-Key wrong',
			'Api-Key',
			'Api-Key  sandbox-key',
			'api-key sandbox-key',
			'Bearer sandbox-key',
			'sandbox-key',
			'Api-Key Api-Key sandbox-key',
			'Api-Key sandbox-key2',
		])('answers 401 for "%s"', async (authorization) => {
			const { status, text } = await authorize(authorization);
			expect(status).toBe(401);
			expect(parseObject(text)).toEqual({ detail: 'Invalid API key.' });
		});

		it('answers 403 for the key that may do nothing', async () => {
			const { status, text } = await authorize(`Api-Key ${sandbox.forbiddenKey}`);
			expect(status).toBe(403);
			expect(parseObject(text)).toEqual({
				detail: 'You do not have permission to perform this action.',
			});
		});

		it('guards all operations', async () => {
			const headers = { 'content-type': 'application/json' };
			for (const authorization of ['Api-Key wrong', `Api-Key ${sandbox.forbiddenKey}`]) {
				const expected = authorization.endsWith('wrong') ? 401 : 403;
				const sent = { headers: { ...headers, authorization }, body: '{"ids":[101]}' };
				const path = '/api/instances/bulk/delete';
				const deleted = await sendRaw(sandbox.url, path, { ...sent, method: 'POST' });
				expect(deleted.status).toBe(expected);
				const put = await sendRaw(sandbox.url, '/api/instances/101/', { ...sent, method: 'PUT' });
				expect(put.status).toBe(expected);
			}
			expect(sandbox.control.instance(101)).toBeDefined();
		});
	});

	describe('bodies', () => {
		const put = async (body: string | undefined, contentType?: string) =>
			await client.call(`/instances/${SEED.running}/`, {
				method: 'PUT',
				headers: contentType === undefined ? {} : { 'content-type': contentType },
				body,
			});

		it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense'])(
			'answers 415 for the content type %s',
			async (contentType) => {
				const { status, text } = await put('{}', contentType);
				expect(status).toBe(415);
				expect(parseObject(text)).toHaveProperty('detail');
			},
		);

		it('answers 415 for a body without a content type', async () => {
			expect((await put('{}')).status).toBe(415);
		});

		it('takes a content type with a charset', async () => {
			const body = JSON.stringify({ process: client.process(SEED.processes.onboarding) });
			expect((await put(body, 'application/json; charset=utf-8')).status).toBe(200);
		});

		it('answers 400 for text that is not JSON', async () => {
			const { status, text } = await put('{"process": ', 'application/json');
			expect(status).toBe(400);
			expect(parseObject(text).detail).toMatch(/^JSON could not be read: /);
		});

		it.each([undefined, ''])('answers 400 for no body (%j)', async (body) => {
			const { status, text } = await put(body, 'application/json');
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({ detail: 'A request body is required.' });
		});

		it.each(['null', '[]', '5', '"text"'])('answers 400 for the body %s', async (body) => {
			const { status, text } = await put(body, 'application/json');
			expect(status).toBe(400);
			expect(parseObject(text)).toEqual({
				non_field_errors: ['Invalid data. Expected a dictionary.'],
			});
		});

		it('answers 413 for a body beyond all measure', async () => {
			const sent = put(' '.repeat(17 * 1024 * 1024), 'application/json');
			// The rest of the body is not read, so that sending it may break off before the answer.
			const status = await sent.then(
				(received) => received.status,
				() => 413,
			);
			expect(status).toBe(413);
		});
	});
});
