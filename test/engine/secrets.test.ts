import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { createRedact } from '../../nodes/WorkflowInstanceService/api/redactor';
import { createSandbox, type FaultAction, type SandboxHandle, SEED } from '../../sandbox/service';
import {
	createTrigger,
	registerCredentialType,
	registerNodeType,
	runNode,
	CREDENTIAL_TYPE,
	useNodeRunner,
} from '../harness';
import { describeStandIn } from '../harness/standIns/describe';
import { stored } from './support/instances';
import { leaks, spellingsOf } from './support/leaks';
import { watchThrown } from './support/thrown';
import { ID_OF_ITEM, locator, type SandboxUnderTest, useSandbox } from './support/sandbox';

const KEY = 'kEy+of/the-"sandbox"~=';
const SETTINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
/** What a service may make of the header that it received. */
const ECHOES = [
	...[KEY, `Api-Key ${KEY}`, `key${KEY}:more`].map((text) => Buffer.from(text).toString('base64')),
	Buffer.from(`user:${KEY}:more`).toString('base64url'),
	KEY.replaceAll('/', '\\/'),
	KEY.toLowerCase(),
	`key=${encodeURIComponent(KEY)}&x=1`,
	encodeURIComponent(KEY).toLowerCase(),
	JSON.stringify({ authorization: KEY }),
];

const respond = (status: number, body: string, contentType = 'application/json'): FaultAction => {
	return { type: 'respond', status, body, contentType };
};

const IN_JSON = (echo: string) => respond(400, JSON.stringify({ detail: `Seen: ${echo}` }));
/** Where a service may put an echo. */
const PLACES: Array<[name: string, action: (echo: string) => FaultAction]> = [
	['a JSON 400', IN_JSON],
	['a field message', (echo) => respond(422, JSON.stringify({ errors: { [echo]: ['No.'] } }))],
	['a text 401', (echo) => respond(401, `Not known: ${echo}`, 'text/plain')],
	['a title', (echo) => respond(500, `<html><title>${echo}</title></html>`, 'text/html')],
	// The text is cut in the middle of the key.
	['a long text', (echo) => respond(400, `${'x'.repeat(590)} ${echo}`, 'text/plain')],
	['a 200 that is no instance', (echo) => respond(200, `${'x'.repeat(110)} ${echo}`)],
	['a redirect', (echo) => ({ type: 'redirect', location: `/${encodeURIComponent(echo)}` })],
];

/** What the service may keep in an instance: its own data, whatever the key is. */
const INSTANCE: IDataObject = { id: 101, name: `Invoice ${KEY}`, [KEY]: 1 };

const RESET = { options: { unsetFields: 'reset' }, updateFields: { process: locator(11) } };
const RAW = { instanceId: ID_OF_ITEM, output: 'raw' };
const DELETION = { operation: 'bulkDelete', instanceIds: '101' };
const OPERATIONS: Array<[name: string, parameters: INodeParameters]> = [
	['Get', { ...RAW, operation: 'get' }],
	['Update', { ...RAW, ...RESET, operation: 'update' }],
	['Bulk Delete', DELETION],
];

describe('a service that gives the API key back', () => {
	const sandbox = useSandbox();
	const credentials = () => ({ ...sandbox.credentials, apiKey: `\t Api-Key ${KEY} ` });
	let written: jest.SpyInstance[];
	let thrown: unknown[];
	beforeEach(() => {
		thrown = watchThrown();
		const names = ['debug', 'error', 'info', 'log', 'warn'] as const;
		written = names.map((name) => jest.spyOn(console, name).mockImplementation(() => undefined));
	});
	afterEach(() => {
		for (const spy of written) expect(spy).not.toHaveBeenCalled();
		jest.restoreAllMocks();
	});

	describe.each(SETTINGS)('under %s', (onError) => {
		const runner = useNodeRunner({ parameters: {}, items: [{ id: 101 }], onError });
		const leaking = async (parameters: INodeParameters, action: FaultAction) => {
			sandbox.control.addFault({ action });
			const { run } = await runner.run({ parameters, credentials: credentials() });
			return leaks([run.raw, thrown.splice(0)], KEY);
		};

		test.each(OPERATIONS)('to %s in any place', async (_operation, parameters) => {
			for (const [place, action] of PLACES) {
				const paths = await leaking(parameters, action(`Api-Key ${KEY}`));
				expect([place, ...paths]).toEqual([place]);
			}
			expect(sandbox.requests()).toHaveLength(PLACES.length);
		});

		test('in any form', async () => {
			for (const echo of ECHOES) {
				const paths = await leaking({ instanceId: ID_OF_ITEM }, IN_JSON(echo));
				expect([echo, ...paths]).toEqual([echo]);
			}
			expect(sandbox.requests()).toHaveLength(ECHOES.length);
		});
	});

	test.each(OPERATIONS.slice(0, 2))('in an instance for %s keeps it', async (_, parameters) => {
		sandbox.control.addFault({ action: respond(200, JSON.stringify(INSTANCE)) });
		const items = [{ id: 101 }];
		const { outputs } = await runNode({ parameters, items, credentials: credentials() });
		expect(outputs[0]?.[0]?.json).toEqual(INSTANCE);
		expect(thrown).toEqual([]);
	});

	test('in an instance for the trigger keeps it', async () => {
		sandbox.control.addFault({ action: respond(200, JSON.stringify(INSTANCE)) });
		const parameters = { instanceIds: '101', events: ['completed'], output: 'raw' };
		const trigger = await createTrigger({ parameters, credentials: credentials() });
		expect(await trigger.poll('manual')).toMatchObject([{ instance: INSTANCE }]);
	});

	test('in what it says of a deletion shows three asterisks', async () => {
		sandbox.control.addFault({ action: respond(200, JSON.stringify({ note: KEY })) });
		const { outputs } = await runNode({ parameters: DELETION, credentials: credentials() });
		expect(outputs[0]?.[0]?.json).toMatchObject({ deleted: true, serviceMessage: 'note: ***' });
	});

	test('gets a field back as it was', async () => {
		const wanted = { name: `Of ${sandbox.credentials.apiKey}`, priority: 'V' } as const;
		sandbox.control.change(SEED.running, { name: wanted.name });
		const updateFields = { priority: wanted.priority };
		const parameters = { operation: 'update', instanceId: locator(SEED.running), updateFields };
		const { outputs } = await sandbox.run(parameters);
		expect(stored(sandbox, SEED.running)).toMatchObject(wanted);
		expect(outputs[0]?.[0]?.json).toMatchObject(wanted);
	});
});

describe('the redactor', () => {
	test.each([
		['a key of letters', 'abcdefghij0123456789'],
		['a key of digits', '12345678'],
		['a key with signs', KEY],
		['a key like a pattern', 'a.*b|c[d](e)+$^{2}?\\'],
		['a key that is not well formed', 'abcdefgh\ud800ijkl'],
	])('hides %s in every spelling', (_what, key) => {
		const redact = createRedact(key);
		for (const spelling of spellingsOf(key)) {
			expect(leaks(redact(`a${spelling}b`), key)).toEqual([]);
		}
		expect(redact(`before ${key} after`)).toBe('before *** after');
	});

	test('takes the whole of a spelling that begins like another', () => {
		const key = 'abcdefgh\\';
		expect(createRedact(key)(JSON.stringify(key))).toBe('"***"');
	});

	test('takes no word of everyday language for a key', () => {
		expect(createRedact('service')('the service')).toBe('the service');
		expect(createRedact('')('the service')).toBe('the service');
		expect(createRedact('services')('the services')).toBe('the ***');
	});
});

const LEAKY = 'fixture.leaky';
type Leak = (helpers: IExecuteFunctions['helpers'], context: IExecuteFunctions) => Promise<void>;
let leak: Leak;

registerNodeType(LEAKY, {
	description: describeStandIn('leaky', [], {
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
	}),
	async execute() {
		await leak(this.helpers, this);
		return [[{ json: { done: true } }]];
	},
});
registerCredentialType(new WorkflowInstanceServiceApi());

async function runLeaky({ credentials }: SandboxUnderTest, how: Leak) {
	leak = how;
	return await runNode({ type: LEAKY, parameters: {}, credentials });
}

describe('the search for the API key finds it', () => {
	const sandbox = useSandbox();

	test("in the error that n8n's own request helper throws", async () => {
		sandbox.control.addFault({ action: respond(400, '{}') });
		const { baseUrl, apiKey } = sandbox.credentials;
		const url = `${baseUrl}/instances/101/`;
		const thrown = watchThrown();
		await runLeaky(sandbox, async ({ httpRequestWithAuthentication }, context) => {
			await httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, { url });
		});
		jest.restoreAllMocks();
		expect(leaks(thrown, apiKey)).toContainEqual(expect.stringMatching(/authorization/i));
	});

	test.each<[string, (key: string) => unknown]>([
		['a cause', (key) => new Error('a', { cause: new Error('b', { cause: { key } }) })],
		['a hidden property', (key) => Object.defineProperty({}, 'a', { value: { key } })],
		['the name of a property', (key) => ({ [`a ${key}`]: 1 })],
		['bytes', (key) => ({ data: Buffer.from(key) })],
		['Base64', (key) => [Buffer.from(`Api-Key ${key}`).toString('base64')]],
		['a URL in capital letters', (key) => encodeURIComponent(key).toUpperCase()],
	])('in %s', (_place, hide) => {
		expect(leaks({ deep: [hide(KEY)] }, KEY)).not.toEqual([]);
	});

	test('nowhere else', () => {
		expect(leaks({ a: new Error('Nothing'), b: [KEY.slice(0, -1)] }, KEY)).toEqual([]);
	});
});

describe("n8n's HTTP Request node, with the credential", () => {
	const sandbox = useSandbox();
	let other: SandboxHandle;
	beforeAll(async () => {
		other = await createSandbox({ apiKey: 'sandbox-key' });
	});
	afterAll(async () => await other.close());

	test('takes the key to no other server when it follows a redirect', async () => {
		const location = `${other.url}/api/instances/101/`;
		sandbox.control.addFault({ action: { type: 'redirect', location } });
		const uri = `${sandbox.credentials.baseUrl}/instances/101/`;
		// By the helper that it uses, which names the address `uri`.
		await runLeaky(sandbox, async ({ requestWithAuthentication }, context) => {
			await requestWithAuthentication.call(context, CREDENTIAL_TYPE, { uri, json: true });
		});
		expect(sandbox.log()[0]?.authorized).toBe(true);
		expect(other.control.log().filter(({ authorized }) => authorized)).toEqual([]);
	});
});
