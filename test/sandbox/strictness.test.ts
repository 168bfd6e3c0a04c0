import { SEED } from '../../sandbox/service';
import { parseObject, sendRaw, useSandbox } from './support';

describe('the strictness of the sandbox', () => {
	const service = useSandbox();

	describe('paths', () => {
		it.each([
			'/instances/101',
			'/instances/',
			'/instances/1e2/',
			'/instances/0101/',
			'/instances/1/../101/',
			'/instances/101%2F/',
			'/instances/%E0%A4%A/',
			'/instances/bulk/delete/',
			'/processes/11/',
			'/',
			'/INSTANCES/101/',
		])('answers JSON 404 for /api%s', async (path) => {
			const { status, headers, text } = await service.client.call(path);
			expect(status).toBe(404);
			expect(headers['content-type']).toBe('application/json');
			expect(text).toBe('{"detail":"Not found."}');
		});

		it.each(['/', '/instances/101/', '/apiary', '//api/instances/101/', '/API/instances/101/'])(
			'answers an HTML page for %s',
			async (path) => {
				const { status, headers, text } = await sendRaw(service.sandbox.url, path);
				expect(status).toBe(404);
				expect(headers['content-type']).toMatch(/^text\/html/);
				expect(text).toContain('<title>Page not found</title>');
			},
		);
	});

	describe('methods', () => {
		it.each([
			['POST', '/instances/101/', 'GET, PUT'],
			['DELETE', '/instances/101/', 'GET, PUT'],
			['PROPFIND', '/instances/101/', 'GET, PUT'],
			['DELETE', '/instances/bulk/delete', 'POST'],
		])('answers 405 for %s %s', async (method, path, allow) => {
			const { status, headers, text } = await service.client.call(path, { method });
			expect(status).toBe(405);
			expect(headers.allow).toBe(allow);
			expect(parseObject(text)).toEqual({ detail: `Method "${method}" not allowed.` });
		});
	});

	describe('keys', () => {
		const authorize = async (authorization?: string) =>
			await sendRaw(service.sandbox.url, '/api/instances/101/', {
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

		it('guards all operations', async () => {
			const headers = { 'content-type': 'application/json' };
			for (const authorization of ['Api-Key wrong', `Api-Key ${service.sandbox.forbiddenKey}`]) {
				const expected = authorization.endsWith('wrong') ? 401 : 403;
				const sent = { headers: { ...headers, authorization }, body: '{"ids":[101]}' };
				const path = '/api/instances/bulk/delete';
				const deleted = await sendRaw(service.sandbox.url, path, { ...sent, method: 'POST' });
				expect(deleted.status).toBe(expected);
				const put = await sendRaw(service.sandbox.url, '/api/instances/101/', {
					...sent,
					method: 'PUT',
				});
				expect(put.status).toBe(expected);
			}
			expect(service.sandbox.control.instance(101)).toBeDefined();
		});
	});

	describe('bodies', () => {
		const put = async (body: string | undefined, contentType?: string) =>
			await service.client.call(`/instances/${SEED.running}/`, {
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
	});
});
