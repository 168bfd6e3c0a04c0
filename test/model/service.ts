import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service received. */
export interface Entry {
	method: string;
	path: string;
	body?: Record<string, unknown>;
}

export type Instance = Record<string, unknown>;

/** Numbers that JavaScript cannot hold, by how they are written in an {@link Instance}. */
const BIG = /"@(\d+)@"/g;

/** A service of the interface that keeps whatever instances it is given, however odd. */
export async function startService() {
	const state = {
		instances: new Map<number, Instance>(),
		log: [] as Entry[],
		/** The instances that it has besides. */
		otherwise: undefined as ((id: number) => Instance) | undefined,
		/** Responds to an update with 400 and these words where it says so. */
		rejection: undefined as ((body: Record<string, unknown>) => unknown) | undefined,
		/** Responds to an update without a body. */
		isBodyless: false,
	};
	const respond = (
		method: string,
		path: string,
		body: Record<string, unknown> | undefined,
	): [number, unknown?] => {
		state.log.push({ method, path, ...(body && { body }) });
		if (path.endsWith('/bulk/delete')) return [204];
		const id = Number(/^\/api\/instances\/(\d+)\/$/.exec(path)?.[1]);
		const instance = state.instances.get(id) ?? state.otherwise?.(id);
		if (instance === undefined) return [404, { detail: 'Not found.' }];
		if (method !== 'PUT' || body === undefined) return [200, instance];
		const rejection = state.rejection?.(body);
		if (rejection !== undefined) return [400, rejection];
		const next = {
			...instance,
			priority: null,
			...body,
			last_updated_time: '2026-07-01T10:00:01Z',
		};
		state.instances.set(id, next);
		return state.isBodyless ? [204] : [200, next];
	};
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const text = String(Buffer.concat(chunks));
			const [status, body] = respond(
				request.method ?? '',
				request.url ?? '',
				text === '' ? undefined : JSON.parse(text),
			);
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(body === undefined ? '' : JSON.stringify(body).replace(BIG, '$1'));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		state,
		baseUrl: `http://127.0.0.1:${port}/api`,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
