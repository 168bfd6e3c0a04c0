import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asUserFacingError } from '../../../nodes/WorkflowInstanceService/n8n/outputItems';
import { idReader } from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/idSource';
import { readChanges } from '../../../nodes/WorkflowInstanceService/instance/update/changes';
import type { FaultAction } from '../../../sandbox/service';
import type { CredentialData } from '../../harness/credentialsHelper';

/** A way to make the node say something. */
export interface Refusal {
	parameters: INodeParameters;
	/** Default: one item `{ id: 101 }`. */
	items?: IDataObject[];
	/** What the first request meets. */
	fault?: FaultAction;
	/** What another run of the node is doing meanwhile, of which the first request was sent. */
	meanwhile?: INodeParameters;
	credentials?: CredentialData;
}

const expression = (code: string) => `={{ ${code} }}`;
const locator = (value: string | number, mode = 'id') => ({ __rl: true, mode, value });
const INSTANCE = { instanceId: locator(expression('101')) };

const get = (parameters: INodeParameters): Refusal => ({
	parameters: { operation: 'get', ...INSTANCE, ...parameters },
});
const update = (parameters: INodeParameters, more: Partial<Refusal> = {}): Refusal => ({
	parameters: { operation: 'update', ...INSTANCE, ...parameters },
	...more,
});
const updateField = (fields: INodeParameters) => update({ updateFields: fields });
const moveTo = (process: INodeParameters[string]) => updateField({ process });
const remove = (parameters: INodeParameters, more: Partial<Refusal> = {}): Refusal => ({
	parameters: { operation: 'bulkDelete', ...parameters },
	...more,
});
const removeBy = (idField: string, id: IDataObject[string] | number[][] = 101) =>
	remove({ idSource: 'inputField', idField }, { items: [{ id }] });
const withCredential = (credential: CredentialData, parameters: INodeParameters = {}): Refusal => ({
	...get(parameters),
	credentials: { baseUrl: 'https://example.com/api', apiKey: 'key-of-a-test', ...credential },
});
const withBaseUrl = (baseUrl: string) => withCredential({ baseUrl });
/** A credential that an admin has bound to hosts. */
const BOUND = { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' };
const instance = (value: IDataObject | string): FaultAction => ({
	type: 'respond',
	status: 200,
	body: typeof value === 'string' ? value : JSON.stringify(value),
});

/** Update meets an instance with these current values. */
const keep = (current: IDataObject) =>
	update({ updateFields: { name: 'A' } }, { fault: instance({ id: 101, ...current }) });

const changes = (updateFields: unknown) =>
	readChanges({
		get: ({ name }) => (name === 'updateFields' ? updateFields : []),
		entered: () => undefined,
		timezone: 'UTC',
	});

const LINK = 'https://example.com/api/processes/11/';
const ONE_ROW = { assignment: [{ stepId: 7, userId: 12 }] };

/**
 * All ways by what they are about. A function throws what n8n's form does not let through, but saved
 * workflows and other programs may hold.
 */
export const REFUSALS: Record<string, Array<Refusal | (() => void)>> = {
	'Instance and Process': [
		get({ instanceId: locator(expression('$json.nothing')) }),
		get({ instanceId: locator(expression('"abc"')) }),
		get({ instanceId: locator(expression(`"${LINK}"`), 'url') }),
		get({ instanceId: locator(expression('"https://example.com/public/x7Kq"'), 'url') }),
		moveTo(locator(expression('$json.nothing'))),
		moveTo(locator(expression('1.5'))),
		moveTo(locator(expression('"https://example.com/api/instances/101/"'))),
		moveTo(locator(expression('"https://example.com/"'), 'url')),
		moveTo(''),
		update({ options: { unsetFields: 'reset' } }),
	],
	Output: [
		get({ output: expression('"everything"') }),
		get({ output: 'selected', outputFields: expression('["abc"]') }),
	],
	Options: [
		get({ options: { maxConcurrentRequests: expression('0') } }),
		get({ options: { maxRetries: expression('"many"') } }),
		remove({ instanceIds: '101', options: { batchSize: expression('2.5') } }),
		remove({ instanceIds: '101', options: { dryRun: 'yes' } }),
		remove({ instanceIds: '101', options: { onEmpty: expression('"skip"') } }),
		get({ requestOptions: { proxy: 'proxy.example.com' } }),
		get({ requestOptions: { timeout: -1 } }),
		() => idReader(true)({ get: () => 'inputField', entered: () => '', timezone: 'UTC' }, {}),
	],
	Update: [
		update({}),
		update({ options: { unsetFields: expression('"merge"') }, updateFields: { name: 'A' } }),
		update({ clearFields: expression('["process"]') }),
		update({ clearFields: expression('({ name: true })') }),
		update({ clearFields: expression('$json.nothing') }),
		update({ updateFields: { name: 'A' }, clearFields: ['name'] }),
		updateField({ tags: 'a', addTags: 'b' }),
		updateField({ name: 'A', automaticNaming: true }),
		updateField({ tags: expression('$("Nowhere").item.json.tags') }),
		updateField({ name: expression('$json.nothing') }),
		updateField({ name: '' }),
		updateField({ name: expression('({ first: "A" })') }),
		updateField({ name: expression('"A".repeat(300)') }),
		updateField({ automaticNaming: expression('"maybe"') }),
		updateField({ deadline: expression('"tomorrow"') }),
		updateField({ priority: expression('"urgent"') }),
		updateField({ tags: expression('[["a"]]') }),
		updateField({ addTags: expression('({ a: 1 })') }),
		updateField({ removeTags: expression('[{ a: 1 }]') }),
		updateField({ stepAssignments: {} }),
		updateField({ stepAssignments: { assignment: [{}] } }),
		updateField({ stepAssignments: { list: [{ assignments: 'everyone' }] } }),
		updateField({ stepAssignments: { assignment: [{ stepId: 'first', userId: 7 }] } }),
		updateField({ stepAssignments: { assignment: [{ stepId: 7, userId: 0 }] } }),
		updateField({ addStepAssignments: {} }),
		updateField({ addStepAssignments: { assignment: [{ stepId: 7 }] } }),
		updateField({ addStepAssignments: { list: [{ assignments: expression('null') }] } }),
		updateField({ removeStepAssignments: { assignment: [{ userId: 7 }] } }),
		updateField({ removeStepAssignments: { assignment: [{ stepId: 7, userId: 'Ann' }] } }),
		updateField({ addStepAssignments: ONE_ROW, stepAssignments: ONE_ROW }),
		updateField({
			reassignSteps: { assignment: [...ONE_ROW.assignment, { stepId: 7, userId: 8 }] },
		}),
		updateField({ reassignSteps: ONE_ROW, removeStepAssignments: ONE_ROW }),
		update({
			updateFields: { removeStepAssignments: ONE_ROW },
			clearFields: ['stepAssignments'],
		}),
		() => changes({ abc: 1 }),
	],
	'Bulk Delete': [
		remove({ idSource: expression('"file"'), idField: 'id' }),
		remove({ instanceIds: expression('$json.nothing') }),
		remove({ instanceIds: '101, abc' }),
		remove({ instanceIds: '[101, 102' }),
		remove({ instanceIds: '"101", "102"' }),
		remove({ instanceIds: `101, ${LINK}` }),
		remove({ instanceIds: '101, https://example.com/public/x7Kq' }),
		remove({ instanceIds: expression('[{ id: 101 }]') }),
		remove({ instanceIds: expression('[101, null]') }),
		remove({ instanceIds: expression('[]') }),
		removeBy('number'),
		removeBy('='),
		removeBy('id', ''),
		removeBy('id', 'abc'),
		removeBy('id', { number: 101 }),
		removeBy('id', [[101]]),
	],
	'Concurrent updates of an instance': [
		{
			...update({ updateFields: { name: 'A' }, requestOptions: { timeout: 500 } }),
			fault: { type: 'hang' },
			meanwhile: { operation: 'update', ...INSTANCE, updateFields: { name: 'B' } },
		},
	],
	'Current values that Update keeps': [
		keep({ process: 7 }),
		keep({ process: LINK, name: 'A', deadline: null, priority: null, tags: 'a, b' }),
		keep({ stage: 'Review' }),
		keep({ process: LINK, deadline: null }),
	],
	'Unexpected responses': [
		{ ...get({}), fault: instance('<!DOCTYPE html><title>Sign in</title>') },
		{ ...get({}), fault: { type: 'emptyBody' } },
		{ ...get({}), fault: instance('{"id": 101, "name": "Onboa') },
		{ ...get({}), fault: instance({ id: 102, name: 'Onboarding' }) },
		{ ...get({}), fault: instance('{"id": 101, "name": 9007199254740993}') },
		remove(
			{ instanceIds: '101, 102' },
			{ fault: { type: 'respond', status: 207, body: '{"failed": [101]}' } },
		),
	],
	Credential: [
		withBaseUrl(''),
		withCredential({ apiKey: '' }),
		withCredential({ requestsPerMinute: -1 }),
		withBaseUrl('example.com'),
		withBaseUrl('https://me:secret@example.com/api'),
		withBaseUrl('https://example.com/api/instances/'),
		withBaseUrl(expression('$("Nowhere").item.json.url')),
		withCredential(BOUND, { requestOptions: { proxy: 'http://proxy.example.com' } }),
		withCredential(BOUND, { requestOptions: { allowUnauthorizedCerts: true } }),
	],
	'Messages from n8n and Node.js': [
		() => {
			throw asUserFacingError(new Error('Words of n8n or of Node.js'));
		},
		() => {
			throw asUserFacingError('A text that was thrown');
		},
	],
};
