import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that nobody listens on at the moment of the call. The end-to-end tests use it,
 * and jest cannot load get-port, which is an ES module.
 */
export async function freePort(): Promise<number> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => {
				if (address && typeof address === 'object') resolve(address.port);
				else reject(new Error('The system gave no free port. Close some programs and try again.'));
			});
		});
	});
}
