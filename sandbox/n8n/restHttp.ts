import { isRecord } from '../guards';
import type { Owner } from './owner';

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

/** n8n's own message; without the stack trace that it sends along. */
function wordsOf(text: string): string {
	try {
		const answer: unknown = JSON.parse(text);
		return isRecord(answer) && typeof answer.message === 'string' ? answer.message : text;
	} catch {
		return text;
	}
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
	const words = wordsOf(await response.text());
	throw new Error(`n8n responded with ${response.status} to ${method} ${url}: ${words}`);
}

function authCookieOf(response: Response): string {
	const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');
	const found = cookies.find((cookie) => cookie.startsWith(`${authCookieName}=`));
	if (found) return found.slice(authCookieName.length + 1);
	throw new Error('Signing in to n8n failed. Remove the folder .n8n and start again.');
}

/** Makes the owner's account in an n8n that has none yet, as the form of its first start does. */
async function ensureOwner(url: string, { email, password }: Owner): Promise<void> {
	const answer: unknown = await (await send(`${url}/rest/settings`, 'GET', '', undefined)).json();
	const settings = isRecord(answer) && isRecord(answer.data) ? answer.data : {};
	const { userManagement } = settings;
	if (!isRecord(userManagement) || userManagement.showSetupOnFirstLoad !== true) return;
	const names = { firstName: 'Sandbox', lastName: 'Owner' };
	await send(`${url}/rest/owner/setup`, 'POST', '', { email, password, ...names });
}

/**
 * Signs the owner in. No browser id is sent, so n8n does not bind the session to one and its cookie
 * works in any browser of this machine.
 * @param url n8n's own address, without a slash at the end
 * @throws when n8n rejects it
 */
export async function signIn(url: string, owner: Owner): Promise<Session> {
	await ensureOwner(url, owner);
	const credentials = { emailOrLdapLoginId: owner.email, password: owner.password };
	const authCookie = authCookieOf(await send(`${url}/rest/login`, 'POST', '', credentials));
	const call: RestCall = async (method, path, body) => {
		const cookie = `${authCookieName}=${authCookie}`;
		const response = await send(`${url}/rest${path}`, method, cookie, body);
		const answer: unknown = await response.json();
		return isRecord(answer) && 'data' in answer ? answer.data : answer;
	};
	return { call, authCookie };
}
