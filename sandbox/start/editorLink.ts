import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import getPort from 'get-port';

import { messageOf } from '../guards';
import type { N8n } from '../n8n/server';
import { authCookieName, signIn } from '../n8n/signIn';

/** A local URL that opens the editor already signed in. */
export interface EditorLink {
	url: string;
	close(): void;
}

/**
 * n8n has no sign-in without a form, so a small server signs the owner in and hands the session to the
 * browser. It listens on 127.0.0.1 and responds at one URL with a random part only, so that other
 * web pages and other users of the machine can't use it.
 *
 * @param path where in the editor to go, such as `/workflow/<id>`
 */
export async function serveEditorLink({ url, owner }: N8n, path: string): Promise<EditorLink> {
	const secretPath = `/open/${randomBytes(8).toString('hex')}`;
	const server = createServer((request, response) => {
		if (request.method !== 'GET' || request.url !== secretPath) {
			response.writeHead(404).end();
			return;
		}
		signIn(url, owner).then(
			({ authCookie }) => {
				response.writeHead(302, {
					location: `${url}${path}`,
					// Cookies belong to a host whatever its port, so n8n on its own port receives this one.
					'set-cookie': `${authCookieName}=${authCookie}; Path=/; HttpOnly; SameSite=Lax`,
					'cache-control': 'no-store',
				});
				response.end();
			},
			(error: unknown) => response.writeHead(502).end(messageOf(error)),
		);
	});
	const port = await getPort();
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${port}${secretPath}`,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
