import { ExecuteContext, RoutingNode } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type ICredentialTestRequest,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { CREDENTIALS } from './defaults';
import { NO_OP } from './standIns';
import { loadPackage, types } from './typeRegistry';
import { node } from './workflow';

type Rules = NonNullable<ICredentialTestRequest['rules']>;

function probeType(test: ICredentialTestRequest): INodeType {
	const { description } = types.getByName(NO_OP);
	return {
		description: {
			...description,
			credentials: [{ name: CREDENTIAL_TYPE, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					default: '',
					routing: { request: test.request },
				},
			],
		},
	};
}

const refused = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** What is at the end of a path such as `cause.code`. */
const field = (source: unknown, path: string): unknown =>
	path.split('.').reduce((value, key): unknown => Reflect.get(Object(value), key), source);

function verdictOnThrown(error: Error, rules: Rules): INodeCredentialTestResult {
	const status = field(error, 'cause.response.status');
	const code = field(error, 'cause.code');
	if (status === undefined) return refused(code === undefined ? error.message : String(code));
	for (const rule of rules) {
		if (rule.type === 'responseCode' && rule.properties.value === status) {
			return refused(rule.properties.message);
		}
	}
	const text = field(error, 'cause.response.statusText');
	return refused(text ? String(text) : `Received HTTP status code: ${String(status)}`);
}

function verdictOnAnswer(items: INodeExecutionData[][], rules: Rules): INodeCredentialTestResult {
	const body = items[0]?.[0]?.json;
	for (const { type, properties } of rules) {
		if (type !== 'responseSuccessBody' || !('key' in properties)) continue;
		if (field(body, properties.key) === properties.value) return refused(properties.message);
	}
	return { status: 'OK', message: 'Connection successful!' };
}

async function request(
	test: ICredentialTestRequest,
	data: CredentialData,
): Promise<INodeExecutionData[][]> {
	const type = probeType(test);
	const probe = {
		...node('Temp-Node', NO_OP),
		credentials: { [CREDENTIAL_TYPE]: { id: '1', name: 'Test' } },
	};
	const definition = { nodes: [probe], connections: {} };
	const workflow = new Workflow({
		...definition,
		active: false,
		nodeTypes: {
			getByName: () => type,
			getByNameAndVersion: () => type,
			getKnownTypes: () => ({}),
		},
	});
	const context = new ExecuteContext(
		workflow,
		probe,
		additionalData(definition, 'internal', data),
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node: probe, data: {}, source: null },
		[],
	);
	const decrypted = { id: '1', name: 'Test', type: CREDENTIAL_TYPE, data };
	return await workflow.expression.withIsolate(
		async () => (await new RoutingNode(context, type, decrypted).runNode()) ?? [],
	);
}

/**
 * Tests a credential as the editor does when one is saved (source: `runRequestTest` in
 * credentials-tester.service.js of the package n8n).
 */
export async function testCredential(
	data: CredentialData = CREDENTIALS,
): Promise<INodeCredentialTestResult> {
	await loadPackage();
	const { test } = types.getCredential(CREDENTIAL_TYPE);
	if (test === undefined) throw new Error(`The credential type '${CREDENTIAL_TYPE}' has no test`);
	const rules = test.rules ?? [];
	try {
		return verdictOnAnswer(await request(test, data), rules);
	} catch (error) {
		if (error instanceof Error) return verdictOnThrown(error, rules);
		throw error;
	}
}
