import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isRecord, textAt } from '../guards';

/** The only account of a sandbox n8n. Its password is random and works on this machine alone. */
export interface Owner {
	email: string;
	password: string;
}

/** Calls n8n's internal REST interface. Returns `data` of the response. */
export type RestCall = (
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
	path: string,
	body?: unknown,
) => Promise<unknown>;

/** A signed-in session. */
export interface Session {
	call: RestCall;
	/** The value of the `n8n-auth` cookie, for a browser context. */
	authCookie: string;
}

export const authCookieName = 'n8n-auth';
const requestTimeoutMs = 30_000;

/** The owner of a user folder, kept in `owner.json`, so that a browser stays signed in over restarts. */
export function ownerOf(userFolder: string): Owner {
	const path = join(userFolder, 'owner.json');
	if (!existsSync(path)) {
		mkdirSync(userFolder, { recursive: true });
		const password = `Sandbox-${randomBytes(6).toString('hex')}`;
		const owner: Owner = { email: 'owner@sandbox.local', password };
		writeFileSync(path, JSON.stringify(owner), { mode: 0o600 });
	}
	const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
	return { email: textAt(kept, 'email', path), password: textAt(kept, 'password', path) };
}

async function send(url: string, method: string, cookie: string, body: unknown): Promise<Response> {
	const response = await fetch(url, {
		method,
		// A kept connection is closed by n8n while it is busy with a long run.
		headers: { 'content-type': 'application/json', connection: 'close', cookie },
		body: body === undefined ? undefined : JSON.stringify(body),
		signal: AbortSignal.timeout(requestTimeoutMs),
	});
	if (response.ok) return response;
	const text = await response.text();
	// n8n sends a stack trace along, too.
	const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
	throw new Error(`n8n responded with ${response.status} to ${method} ${url}: ${message}`);
}

/** Creates the owner's account in an n8n that has none yet, as the form of its first start does. */
async function ensureOwner(url: string, owner: Owner): Promise<void> {
	const answer: unknown = await (await send(`${url}/rest/settings`, 'GET', '', undefined)).json();
	const settings = isRecord(answer) && isRecord(answer.data) ? answer.data : {};
	const { userManagement } = settings;
	if (!isRecord(userManagement) || userManagement.showSetupOnFirstLoad !== true) return;
	const names = { firstName: 'Sandbox', lastName: 'Owner' };
	await send(`${url}/rest/owner/setup`, 'POST', '', { ...owner, ...names });
}

/**
 * Signs the owner in. No browser ID is sent, so n8n doesn't bind the session to one and its cookie
 * works in any browser of this machine.
 *
 * @param url n8n's own address, without a slash at the end
 * @throws when n8n rejects it
 */
export async function signIn(url: string, owner: Owner): Promise<Session> {
	await ensureOwner(url, owner);
	const credentials = { emailOrLdapLoginId: owner.email, password: owner.password };
	const response = await send(`${url}/rest/login`, 'POST', '', credentials);
	const cookies = response.headers.getSetCookie().join('; ');
	const authCookie = new RegExp(`${authCookieName}=([^;]+)`).exec(cookies)?.[1];
	if (!authCookie) {
		throw new Error('Signing in to n8n failed. Remove the folder .n8n and start again.');
	}
	return {
		authCookie,
		async call(method, path, body) {
			const cookie = `${authCookieName}=${authCookie}`;
			const answer: unknown = await (await send(`${url}/rest${path}`, method, cookie, body)).json();
			return isRecord(answer) && 'data' in answer ? answer.data : answer;
		},
	};
}
