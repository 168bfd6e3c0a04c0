import { type ExecuteContext, RoutingNode } from 'n8n-core';
import type { ICredentialTestRequest, IDataObject, INodeCredentialTestResult } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import type { CredentialData } from './credentialsHelper';
import { runNode } from './runNode';
import { describeStandIn } from './standIns';
import { loadPackage, types } from './typeRegistry';

type Rules = NonNullable<ICredentialTestRequest['rules']>;

const PROBE = 'harness.probe';

const refused = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** The value at the end of a path such as `cause.code`. */
const field = (source: unknown, path: string): unknown =>
	path.split('.').reduce((value, key): unknown => Reflect.get(Object(value), key), source);

function verdictOnThrown(error: Error, rules: Rules): INodeCredentialTestResult {
	const status = field(error, 'cause.response.status');
	const code = field(error, 'cause.code');
	if (status === undefined) return refused(code === undefined ? error.message : String(code));
	const rule = rules.find(
		({ type, properties }) => type === 'responseCode' && properties.value === status,
	);
	return refused(rule?.properties.message ?? String(status));
}

function verdictOnResponse(body: IDataObject | undefined, rules: Rules): INodeCredentialTestResult {
	const rule = rules.find(
		({ properties }) => 'key' in properties && field(body, properties.key) === properties.value,
	);
	if (rule !== undefined) return refused(rule.properties.message);
	return { status: 'OK', message: 'Connection successful!' };
}

/**
 * Tests a credential as the editor does when one is saved (source: `runRequestTest` in
 * credentials-tester.service.js of the package n8n): with a node that sends the test's request.
 */
export async function testCredential(credentials: CredentialData) {
	await loadPackage();
	const { test } = types.getCredential(CREDENTIAL_TYPE);
	if (test === undefined) throw new Error(`The credential type '${CREDENTIAL_TYPE}' has no test`);
	const { request, rules = [] } = test;
	const temp = { displayName: 'Temp', name: 'temp', type: 'string', default: '' } as const;
	const description = describeStandIn('probe', [{ ...temp, routing: { request } }], {
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
	});
	// The engine would pass on an error without its cause.
	let thrown: unknown;
	types.addNode(PROBE, {
		description,
		async execute(this: ExecuteContext) {
			const request = new RoutingNode(this, { description }).runNode();
			return (await request.catch((error: unknown) => void (thrown = error))) ?? [];
		},
	});
	const { outputs } = await runNode({ type: PROBE, parameters: {}, credentials });
	if (thrown instanceof Error) return verdictOnThrown(thrown, rules);
	return verdictOnResponse(outputs[0]?.[0]?.json, rules);
}
