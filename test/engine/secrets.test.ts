import { WorkflowExecute } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createRedact } from '../../nodes/WorkflowInstanceService/api/redactor';
import { createSandbox, type FaultAction, SEED } from '../../sandbox/service';
import { createTrigger, CREDENTIAL_TYPE, describeStandIn, types } from '../harness';
import { stored } from './support/instances';
import { inHtml, inJson, leaks, spellingsOf } from './support/leaks';
import { OPERATIONS, parametersOf, WHOLE_UPDATE } from './support/operations';
import { locator, respond, useSandbox } from './support/sandbox';

const KEY = 'k\\Ey+of/the-"sandbox"&a~=';
const SETTINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const HEADER = `Api-Key ${KEY}`;

/** What a service may repeat from the header that it received, and where. */
const ECHOES: FaultAction[] = [
	...spellingsOf(KEY).flatMap((spelling) => [
		respond(400, { detail: `Seen: Api-Key ${spelling}` }),
		respond(500, `<html><title>${spelling}</title></html>`),
	]),
	...[KEY.toLowerCase(), KEY.replaceAll('/', '\\/'), JSON.stringify({ sent: HEADER })].map((echo) =>
		respond(400, { detail: `Seen: ${echo}` }),
	),
	respond(422, { errors: { [`key=${encodeURIComponent(KEY)}&x=1`]: ['No.'] } }),
	respond(401, `Not known: ${HEADER}`),
	respond(400, `{"detail": "Seen: ${inJson(KEY)}"}`),
	respond(400, { detail: `Seen: ${KEY.slice(0, 18)}…` }),
	// Messages cut these after nine characters of the key, so it must be hidden before that.
	respond(400, `${'x'.repeat(582)} ${HEADER}`),
	respond(200, `${'x'.repeat(102)} ${HEADER}`),
	respond(200, { note: `${'x'.repeat(176)} ${HEADER}` }),
	respond(200, Buffer.from(JSON.stringify({ seen: HEADER }), 'utf16le')),
	respond(400, Buffer.from(`Seen: ${HEADER}`, 'utf16le')),
	respond(302, '', { location: `/${encodeURIComponent(KEY)}` }),
	respond(302, '', { location: `/${'p'.repeat(189)}x${KEY}` }),
	respond(400, `x${KEY} `.repeat(200)),
];

/** What the service may store in an instance. It's the service's own data, whatever the key is. */
const INSTANCE: IDataObject = { id: 101, name: `Invoice ${KEY}`, [KEY]: 1 };

const requestOf = (operation: string): INodeParameters => ({
	...parametersOf(operation, '101'),
	...(operation === 'update' && WHOLE_UPDATE),
	output: 'raw',
});

/** What nodes throw, until Jest restores its mocks, before n8n makes a record of it: logs may show all of it. */
function watchThrown(): unknown[] {
	const thrown: unknown[] = [];
	const { runNode } = WorkflowExecute.prototype;
	jest.spyOn(WorkflowExecute.prototype, 'runNode').mockImplementation(async function (
		this: WorkflowExecute,
		...args
	) {
		try {
			return await runNode.apply(this, args);
		} catch (cause) {
			thrown.push(cause);
			throw cause;
		}
	});
	return thrown;
}

describe('When the service repeats the API key', () => {
	const sandbox = useSandbox();
	const credentials = () => ({ ...sandbox.credentials, apiKey: `\t Api-Key ${KEY} ` });
	const run = async (parameters: INodeParameters, settings = {}) =>
		await sandbox.run(parameters, [{}], { credentials: credentials(), ...settings });
	let thrown: unknown[];
	beforeEach(() => {
		thrown = watchThrown();
	});
	afterEach(() => jest.restoreAllMocks());

	describe.each(SETTINGS)('and the node is set to %s', (onError) => {
		test.each(OPERATIONS)('%s does not show it', async (operation) => {
			for (const action of ECHOES) {
				sandbox.fault(action);
				const { raw } = await run(requestOf(operation), { onError });
				const places = leaks([raw, thrown.splice(0)], KEY);
				expect([action, ...places]).toEqual([action]);
			}
			expect(sandbox.requests()).toHaveLength(ECHOES.length);
		});
	});

	test('Get, Update and the trigger return it as data', async () => {
		sandbox.fault(respond(200, INSTANCE), { times: 3 });
		for (const operation of ['get', 'update']) {
			const { outputs } = await run(requestOf(operation));
			expect(outputs[0]?.[0]?.json).toEqual(INSTANCE);
			expect(leaks(outputs, KEY)).not.toEqual([]);
		}
		const parameters = { instanceIds: '101', events: ['completed'], output: 'raw' };
		const trigger = await createTrigger({ parameters, credentials: credentials() });
		expect(await trigger.poll('manual')).toMatchObject([{ instance: INSTANCE }]);
	});

	test('Bulk Delete shows three asterisks in its words about a deletion', async () => {
		sandbox.fault(respond(200, { note: KEY }));
		const { outputs } = await run(requestOf('bulkDelete'));
		expect(outputs[0]?.[0]?.json).toMatchObject({ deleted: true, serviceMessage: 'note: ***' });
	});

	test('Update sends back a field that contains it as it was, and hides it in its advice', async () => {
		const name = `Of ${sandbox.credentials.apiKey}`;
		sandbox.control.change(SEED.running, { name });
		const updateFields = { priority: 'V' };
		const parameters = { operation: 'update', instanceId: locator(SEED.running), updateFields };
		const update = async () => await sandbox.run(parameters);
		await update();
		expect(stored(sandbox, SEED.running)).toMatchObject({ name, priority: 'V' });
		sandbox.fault(respond(400, { name: ['No.'] }), { method: 'PUT' });
		const { error } = await update();
		expect(error?.description).toContain('the current \'Name\' ("Of ***") back');
	});
});

describe('The redactor', () => {
	test.each<[key: string, how: string, spelling: string]>([
		...spellingsOf(KEY).map((each): [string, string, string] => [KEY, 'as it may be', each]),
		[KEY, 'as JSON in JSON escapes it', inJson(KEY).replaceAll('\\', '\\\\')],
		[KEY, 'as JavaScript escapes it', inJson(KEY).replaceAll('\\u00', '\\x')],
		[KEY, 'as HTML escapes it by names', KEY.replaceAll('"', '&quot;')],
		[KEY, 'as HTML in HTML escapes it', inHtml(KEY).replaceAll('&', '&amp;amp;')],
		[KEY, 'as HTML escapes it without semicolons', inHtml(KEY).replaceAll(';', '')],
		[KEY, 'as a URL in a URL escapes it', encodeURIComponent(encodeURIComponent(KEY))],
		['a"b&c/d+e', 'as a URL of JSON escapes it', encodeURIComponent(inJson('a"b&c/d+e'))],
		['a"b&c/d+e', 'as a URL of HTML escapes it', encodeURIComponent(inHtml('a"b&c/d+e'))],
		['%4A&amp;k\\u0041', 'in a URL', encodeURIComponent('%4A&amp;k\\u0041')],
		[KEY, 'cut at its end', KEY.slice(0, 12)],
		[KEY, 'cut at its beginning', KEY.slice(-8)],
		['a.*b|c[d](e)+$^{2}?', 'as it is', 'a.*b|c[d](e)+$^{2}?'],
		['a+b/c=d_e.f-g', 'as HTML escapes it', 'a&plus;b&sol;c&equals;d&lowbar;e&period;f&dash;g'],
		['clé-s3crèt', 'as it is', 'clé-s3crèt'],
		['clé-s3crèt', 'as a URL has it', 'cl%C3%A9-s3cr%c3%a8t'],
		['clé-s3crèt', 'as an old URL has it', 'cl%E9-s3cr%u00E8t'],
		['clé-s3crèt', 'as HTML escapes it by names', 'cl&eacute;-s3cr&egrave;t'],
		['clé-s3crèt', 'as HTML escapes it by numbers', 'cl&#233;-s3cr&#xe8;t'],
		['clé-s3crèt', 'as JSON escapes it', 'cl\\u00e9-s3cr\\u00E8t'],
		['clé-s3crèt', 'read in another encoding', 'clÃ©-s3cr\ufffdt'],
	])('hides the key %j %s: %j', (key, _how, spelling) => {
		expect(createRedact(key)(`voilà ${spelling}, ça`)).toBe('voilà ***, ça');
	});

	test.each([
		['fourth', 'xfourthx', 'x***x'],
		['4-y$', 'x4-y$x', 'x***x'],
		['abcd', 'xabcdx', 'x***x'],
		// Fewer than four characters aren't treated as secret.
		['abc', 'abc', 'abc'],
		// It looks like an entity, but isn't one.
		['pass&word', 'pass&word; x', '***; x'],
		// What a cut leaves.
		['sandbox-key-1', '"sand" sand… (ey-1)', '"***" ***… (***)'],
		['sandbox-key-1', 'thousand sandy, y-1, san…', 'thousand sandy, y-1, san…'],
		// As services mask it.
		['a7k2m9x4', 'a7k2XXXX, xxxx9X4 m9x4z', '***XXXX, xxxx9X4 ***z'],
	])('knows which part of a text is the key %j: %j', (key, text, shown) => {
		expect(createRedact(key)(text)).toBe(shown);
	});
});

describe("n8n's HTTP Request node, with the credential", () => {
	const sandbox = useSandbox();
	types.addNode('fixture.request', {
		description: describeStandIn('request', [], {
			credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		}),
		async execute() {
			const uri = `${sandbox.credentials.baseUrl}/instances/101/`;
			// The helper that it uses calls the URL `uri`.
			const { requestWithAuthentication: send } = this.helpers;
			const json = await send.call(this, CREDENTIAL_TYPE, { uri, json: true });
			return [[{ json }]];
		},
	});

	test('sends the key to no other server when it follows a redirect', async () => {
		const other = await createSandbox({ apiKey: 'sandbox-key' });
		const location = `${other.url}/api/instances/101/`;
		sandbox.fault(respond(302, '', { location }));
		await sandbox.run({}, [{}], { type: 'fixture.request' });
		const authorized = other.control.log().map(({ authorized }) => authorized);
		await other.close();
		expect([sandbox.log()[0]?.authorized, authorized]).toEqual([true, [false]]);
	});
});
