import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asUserFacingError } from '../../../nodes/WorkflowInstanceService/n8n/outputItems';
import { readChanges } from '../../../nodes/WorkflowInstanceService/instance/update/changes';
import { type FaultAction, SEED } from '../../../sandbox/service';
import type { CredentialData } from '../../harness/credentials-helper';

/** A way to make the node say something. */
export interface Refusal {
	parameters: INodeParameters;
	/** Default: one item `{ id: 101 }`. */
	items?: IDataObject[];
	/** What the requests meet. */
	fault?: FaultAction;
	credentials?: CredentialData;
}

/** Messages that belong together. */
export interface RefusalGroup {
	title: string;
	refusals: Refusal[];
	/** What n8n's form does not let through, but saved workflows and other programs may hold. */
	withoutForm?: Array<() => void>;
}

const expression = (code: string) => `={{ ${code} }}`;
const locator = (value: string | number, mode = 'id') => ({ __rl: true, mode, value });
const INSTANCE = { instanceId: locator(expression('101')) };
const PROCESS = { process: locator(expression(String(SEED.processes.onboarding))) };

const get = (parameters: INodeParameters): Refusal => ({
	parameters: { operation: 'get', ...INSTANCE, ...parameters },
});
const update = (parameters: INodeParameters, more: Partial<Refusal> = {}): Refusal => ({
	parameters: { operation: 'update', ...INSTANCE, ...parameters },
	...more,
});
const updateField = (fields: INodeParameters) => update({ updateFields: fields });
const remove = (parameters: INodeParameters, items?: IDataObject[]): Refusal => ({
	parameters: { operation: 'bulkDelete', ...parameters },
	items,
});
const instance = (value: IDataObject | string): FaultAction => ({
	type: 'respond',
	status: 200,
	body: typeof value === 'string' ? value : JSON.stringify(value),
});

const changes = (updateFields: unknown) =>
	readChanges({
		get: ({ name }) => (name === 'updateFields' ? updateFields : undefined),
		entered: () => undefined,
		timezone: 'UTC',
	});

const LINK = 'https://example.com/api/processes/11/';

export const REFUSALS: RefusalGroup[] = [
	{
		title: 'Which instance or process',
		refusals: [
			get({ instanceId: locator(expression('"abc"')) }),
			get({ instanceId: locator(expression(`"${LINK}"`), 'url') }),
			update({ ...PROCESS, process: locator(expression('1.5')) }),
			update({ process: locator(expression('"https://example.com/"'), 'url') }),
			update({ unsetFields: 'reset' }),
		],
	},
	{
		title: 'Output',
		refusals: [
			get({ output: expression('"everything"') }),
			get({ output: 'selected', outputFields: expression('["colour"]') }),
		],
	},
	{
		title: 'Options',
		refusals: [
			get({ options: { maxConcurrentRequests: expression('0') } }),
			get({ options: { maxRetries: expression('"many"') } }),
			remove({ instanceIds: '101', options: { batchSize: expression('2.5') } }),
			remove({ instanceIds: '101', options: { dryRun: 'yes' } }),
			remove({ instanceIds: '101', options: { onEmpty: expression('"skip"') } }),
		],
	},
	{
		title: 'Update',
		refusals: [
			update({}),
			update({ unsetFields: expression('"merge"'), updateFields: { name: 'A' } }),
			update({ clearFields: expression('["process"]') }),
			update({ clearFields: expression('({ name: true })') }),
			update({ updateFields: { name: 'A' }, clearFields: ['name'] }),
			updateField({ tags: 'a', addTags: 'b' }),
			updateField({ name: 'A', automaticNaming: true }),
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
			updateField({ stepAssignments: { list: [{ assignments: 'everyone' }] } }),
			updateField({ stepAssignments: { assignment: [{ stepId: 'first', userId: 7 }] } }),
			updateField({ stepAssignments: { assignment: [{ stepId: 7, userId: 0 }] } }),
		],
		withoutForm: [() => changes({ colour: 'red' })],
	},
	{
		title: 'Bulk Delete',
		refusals: [
			remove({ idSource: expression('"file"'), instanceIds: '101' }),
			remove({ instanceIds: expression('$json.nothing') }),
			remove({ instanceIds: '101, abc' }),
			remove({ instanceIds: '[101, 102' }),
			remove({ instanceIds: expression('[]') }),
			remove({ idSource: 'inputField', idField: 'number' }),
			remove({ idSource: 'inputField' }, [{ id: { a: 1 } }]),
		],
	},
	{
		title: 'The present values, which Update keeps',
		refusals: [
			update({ updateFields: { name: 'A' } }, { fault: instance({ id: 101, process: 7 }) }),
			update(
				{ updateFields: { name: 'A' } },
				{ fault: instance({ id: 101, process: LINK, tags: 'a, b' }) },
			),
			update({ updateFields: { name: 'A' } }, { fault: instance({ id: 101 }) }),
		],
	},
	{
		title: 'Answers that do not come from the service, or not whole',
		refusals: [
			{ ...get({}), fault: instance('<!DOCTYPE html><title>Sign in</title>') },
			{ ...get({}), fault: { type: 'emptyBody' } },
			{ ...get({}), fault: instance('{"id": 101, "name": "Onboa') },
		],
	},
	{
		title: 'The credential',
		refusals: [
			{ ...get({}), credentials: { baseUrl: 'example.com', apiKey: 'key-of-a-test' } },
			{
				...get({}),
				credentials: { baseUrl: 'https://me:secret@example.com/api', apiKey: 'key-of-a-test' },
			},
		],
	},
	{
		title: 'Whatever else happens keeps its own words',
		refusals: [],
		withoutForm: [
			() => {
				throw asUserFacingError(new Error('Words of n8n or of Node.js'));
			},
			() => {
				throw asUserFacingError('A text that was thrown');
			},
		],
	},
];
