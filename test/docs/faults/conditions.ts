import type { FaultAction, FaultRule, Instance, RespondAction } from '../../../sandbox/service';
import type { CredentialData } from '../../harness/credentialsHelper';

/** What a condition may refer to. */
export interface Surroundings {
	/** The instance of the item that is hit, as the service has it. */
	instance: Instance;
	/** `http://127.0.0.1:<port>` of the service. */
	origin: string;
	/** The same of another server. */
	otherOrigin: string;
}

/** Something that goes wrong. */
export interface Condition {
	/** In the words of the table. */
	name: string;
	/** What the requests of the item in the middle meet. */
	fault?(surroundings: Surroundings): Pick<FaultRule, 'action' | 'times'>;
	/** What the credential has instead; then every item is hit. */
	credentials?(surroundings: Surroundings): CredentialData;
	/** The user's Timeout under 'Request Options', in milliseconds. */
	timeoutMs?: number;
	/** It is about the body of a response, and Bulk Delete has none. */
	needsBody?: true;
}

const ALWAYS = 0;
const NEEDS_BODY = { needsBody: true } as const;

const json = (status: number, value: unknown, headers?: Record<string, string>): RespondAction => ({
	type: 'respond',
	status,
	body: JSON.stringify(value),
	headers,
});

const text = (status: number, body: string, contentType = 'text/plain'): RespondAction => ({
	type: 'respond',
	status,
	body,
	contentType,
});

function page(status: number, title: string): RespondAction {
	const body = `<body><h1>${title}</h1></body>`;
	const html = `<!DOCTYPE html><html><head><title>${title}</title></head>${body}</html>`;
	return text(status, html, 'text/html; charset=utf-8');
}

type Action = FaultAction | ((surroundings: Surroundings) => FaultAction);

const meeting =
	(times: number) =>
	(name: string, action: Action, more: Partial<Condition> = {}): Condition => ({
		name: times === 1 ? `${name}, once` : name,
		fault: (surroundings) => ({
			action: typeof action === 'function' ? action(surroundings) : action,
			times,
		}),
		...more,
	});
const always = meeting(ALWAYS);
const once = meeting(1);

const waitFor = (status: number, headers: Record<string, string>) =>
	json(status, { detail: 'Request was throttled.' }, headers);

/** The work is done, with this response. */
const afterWork = (name: string, then: RespondAction, more: Partial<Condition> = {}): Condition =>
	always(name, { type: 'applyThen', then }, more);

/** The work is done, with a changed instance as the response. */
const instanceWith = (name: string, change: (instance: Instance) => object | string): Condition =>
	always(
		name,
		({ instance }) => {
			const changed = change(instance);
			const body = typeof changed === 'string' ? changed : JSON.stringify(changed);
			return { type: 'applyThen', then: text(200, body, 'application/json') };
		},
		NEEDS_BODY,
	);

function withWrongTypes({ id, ...others }: Instance): object {
	const wrong = Object.entries(others).map(([key, value]) => [
		key,
		typeof value === 'string' ? 7 : 'seven',
	]);
	return { id: String(id), ...Object.fromEntries(wrong) };
}

const REFUSED: Condition[] = [
	always(
		'400 with messages per field',
		json(400, { name: ['Enter at most 255 characters.'], tags: ['Not a list.'] }),
	),
	always('400 with text', text(400, 'The deadline lies in the past')),
	always('400 with a long text', text(400, 'long '.repeat(10_000))),
	always('400 without a body', { type: 'emptyBody', status: 400 }),
	always('401', json(401, { detail: 'Invalid API key.' })),
	always('403', json(403, { detail: 'You do not have permission.' })),
	always('403 with a web page', page(403, 'Blocked by the firewall')),
	always('404 with JSON', json(404, { detail: 'Not found.' })),
	always('404 with a web page', page(404, 'Page not found')),
	always('409', json(409, { message: 'The instance is being changed.' })),
	always('413 with a web page', page(413, 'Request Entity Too Large')),
	always('418, an unexpected status', json(418, { reason: 'I am a teapot.' })),
	always('422', json(422, { error: { message: 'The process is archived.' } })),
];

const ASKED_TO_WAIT: Condition[] = [
	once('429, Retry-After in seconds', waitFor(429, { 'Retry-After': '1' })),
	once('429 without Retry-After', waitFor(429, {})),
	always('429 each time, Retry-After 0', waitFor(429, { 'Retry-After': '0' })),
	always('429, Retry-After of a day', waitFor(429, { 'Retry-After': '86400' })),
	once('503, Retry-After in seconds', waitFor(503, { 'Retry-After': '1' })),
	always('503 each time, Retry-After 0', waitFor(503, { 'Retry-After': '0' })),
];

const BROKEN: Condition[] = [
	always('500 with a web page', page(500, 'Server Error')),
	afterWork('500 after processing', json(500, { detail: 'Could not answer.' })),
	always('502 with a web page', page(502, 'Bad Gateway')),
	always('Redirect on the same host', ({ origin }) => ({
		type: 'redirect',
		status: 301,
		location: `${origin}/api/v2/instances/`,
	})),
	always('Redirect to another host', ({ otherOrigin }) => ({
		type: 'redirect',
		location: `${otherOrigin}/login?ticket=123`,
	})),
];

const UNREACHABLE: Condition[] = [
	{
		name: 'Connection refused (every item)',
		credentials: () => ({ baseUrl: 'http://127.0.0.1:1/api' }),
	},
	{
		name: 'Unknown host name (every item)',
		// Longer than a name may be, so that no name server is asked.
		credentials: () => ({ baseUrl: `http://${'x'.repeat(64)}.invalid/api` }),
	},
	{
		name: 'https:// to a port without TLS (every item)',
		credentials: ({ origin }) => ({ baseUrl: `${origin.replace('http:', 'https:')}/api` }),
	},
	once('Connection lost before the response', { type: 'reset' }),
	always('Connection lost before the response, each time', { type: 'reset' }),
	once('Connection lost during the response', { type: 'resetDuring' }, NEEDS_BODY),
	always('Connection lost during the response, each time', { type: 'resetDuring' }, NEEDS_BODY),
	always('Timeout', { type: 'hang' }, { timeoutMs: 1500 }),
];

const ODD_RESPONSES: Condition[] = [
	always('Truncated JSON', { type: 'truncate' }, NEEDS_BODY),
	afterWork('200 with a web page', page(200, 'Sign in')),
	afterWork('204', { type: 'respond', status: 204 }),
	afterWork('202 with other JSON', json(202, { status: 'queued' })),
	always('200 with an error', json(200, { error: 'The database is locked.' })),
	always('200 with a rejection', json(200, { detail: 'Not allowed.', success: false })),
	always('200 with text', text(200, 'Request dropped')),
	afterWork('207 with failed IDs', json(207, { failed: [{ id: 104, reason: 'Busy.' }] })),
	afterWork('200 with a list', json(200, [1, 2]), NEEDS_BODY),
	afterWork('200 with a wrong Content-Encoding', {
		type: 'respond',
		status: 200,
		body: 'plain',
		headers: { 'Content-Encoding': 'gzip' },
	}),
	instanceWith('An instance with `__proto__` keys', (instance) =>
		JSON.stringify(instance).replace('{', '{"__proto__": {"stage": "polluted", "polluted": true},'),
	),
	instanceWith('A different instance', (instance) => ({ ...instance, id: instance.id + 1_000 })),
	instanceWith('An instance without tags', (instance) => ({ ...instance, tags: undefined })),
	instanceWith('An instance with only its ID and stage', ({ id, stage }) => ({ id, stage })),
	instanceWith('An instance with unknown fields', (instance) => ({
		...instance,
		error: 'none',
		colour: { name: 'red' },
	})),
	instanceWith('An instance with the wrong type in every field', withWrongTypes),
];

export const NOTHING: Condition = { name: 'Nothing goes wrong' };

/** Conditions that belong together. */
export const CONDITION_GROUPS: Array<{ title: string; conditions: Condition[] }> = [
	{ title: 'The service works', conditions: [NOTHING] },
	{ title: 'The service rejects the request', conditions: REFUSED },
	{ title: 'The service is rate-limited or unavailable', conditions: ASKED_TO_WAIT },
	{ title: 'The service fails or redirects', conditions: BROKEN },
	{ title: "The service can't be reached", conditions: UNREACHABLE },
	{ title: 'The response is unexpected', conditions: ODD_RESPONSES },
];

export const CONDITIONS: Condition[] = CONDITION_GROUPS.flatMap(({ conditions }) => conditions);
