import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

import { messageOf } from '../guards';
import { authCookieName, signIn } from '../n8n/restHttp';
import type { N8n } from '../n8n/server';

/** A local address that opens the editor already signed in. */
export interface Door {
	url: string;
	close(): Promise<void>;
}

async function letIn(n8n: N8n, path: string, response: ServerResponse): Promise<void> {
	const { authCookie } = await signIn(n8n.url, n8n.owner);
	response.writeHead(302, {
		location: `${n8n.url}${path}`,
		// Cookies belong to a host whatever its port, so n8n on its own port receives this one.
		'set-cookie': `${authCookieName}=${authCookie}; Path=/; HttpOnly; SameSite=Lax`,
		'cache-control': 'no-store',
	});
	response.end();
}

/**
 * Opens a door to the editor: n8n has no sign-in without a form, so a small server signs the owner
 * in and hands the session to the browser. It listens on 127.0.0.1 and answers at one address with
 * a random part only, so that other web pages and other users of the machine cannot use it.
 * @param port a free port of 127.0.0.1
 * @param path where in the editor to go, such as `/workflow/<id>`
 */
export async function openDoor(n8n: N8n, port: number, path: string): Promise<Door> {
	const secretPath = `/open/${randomBytes(8).toString('hex')}`;
	const server = createServer((request, response) => {
		if (request.method !== 'GET' || request.url !== secretPath) {
			response.writeHead(404).end();
			return;
		}
		letIn(n8n, path, response).catch((error: unknown) => {
			response.writeHead(502, { 'content-type': 'text/plain' }).end(messageOf(error));
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	return {
		url: `http://127.0.0.1:${port}${secretPath}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
