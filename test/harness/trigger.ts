import { PollContext } from 'n8n-core';
import {
	deepCopy,
	type IDataObject,
	type INodeParameters,
	type Workflow,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { CREDENTIAL_TYPE, TRIGGER_TYPE } from '../../sandbox/names';
import { additionalData } from './additionalData';
import type { CredentialData } from './credentialsHelper';
import { createWorkflow } from './execute';
import { types } from './typeRegistry';
import { holdTime } from './virtualClock';
import { node } from './workflow';

export interface TriggerOptions {
	parameters: INodeParameters;
	credentials: CredentialData;
	credentialId?: string;
	/** How long a poll may take according to n8n, in milliseconds; older versions don't say. */
	budget?: number;
	/** Whether n8n copies the static data for each poll, as it does if durable cursors were on before. */
	copiesStaticData?: boolean;
}

const NAME = 'Trigger';

async function newWorkflow(options: TriggerOptions, staticData: IDataObject): Promise<Workflow> {
	const { parameters, credentialId = '1' } = options;
	const credentials = { [CREDENTIAL_TYPE]: { id: credentialId, name: 'Test' } };
	const nodes = [{ ...node(NAME, TRIGGER_TYPE, parameters), credentials }];
	return await createWorkflow({ nodes, connections: {} }, 'Europe/Berlin', staticData);
}

/** Sets a trigger up in n8n's own poll context (PollTriggerExecutor in `poll-trigger-executor.js` of n8n-core). */
export async function createTrigger(initial: TriggerOptions) {
	let options = initial;
	let stored = '{}';
	let workflow = await newWorkflow(options, {});

	const save = () => {
		stored = JSON.stringify(workflow.staticData);
	};
	const newContext = (mode: WorkflowExecuteMode, activation: WorkflowActivateMode) => {
		const trigger = workflow.getNode(NAME);
		if (trigger === null) throw new Error('There is no trigger');
		const { budget, credentials } = options;
		const data = additionalData({ nodes: [trigger], connections: {} }, mode, credentials);
		// A poll isn't part of an execution.
		data.executionId = undefined;
		const context = new PollContext(workflow, trigger, data, mode, activation);
		const value = budget === undefined ? undefined : () => budget;
		Object.defineProperty(context, 'getPollBudgetMs', { value });
		const copy = () => deepCopy(workflow.getStaticData('node', trigger));
		if (options.copiesStaticData)
			Object.defineProperty(context, 'getWorkflowStaticData', { value: copy });
		return context;
	};
	/** The context of an activation, and of all scheduled polls after it. */
	let scheduled = newContext('trigger', 'activate');
	const poll = async (mode: WorkflowExecuteMode = 'trigger') => {
		const context = mode === 'trigger' ? scheduled : newContext(mode, 'activate');
		const { poll: own } = types.getByName(TRIGGER_TYPE);
		if (own === undefined) throw new Error('There is no trigger');
		const goOn = holdTime();
		const emitted = await workflow.expression.withIsolate(async () => {
			goOn();
			return await own.call(context);
		});
		if (emitted !== null && mode !== 'manual') save();
		return emitted && (emitted[0] ?? []).map(({ json }) => json);
	};
	return {
		/** Polls once. What is stored is saved if n8n would save it. Returns the items, or null. */
		poll,
		/** Polls when a user publishes (`activate`) or n8n starts (`init`). n8n then always saves what is stored. */
		async activate(by: WorkflowActivateMode = 'activate') {
			scheduled = newContext('trigger', by);
			const items = await poll();
			save();
			return items;
		},
		/** What n8n has saved for the node. */
		saved: (): IDataObject => JSON.parse(stored)[`node:${NAME}`] ?? {},
		/** Starts over with what was saved, or with the argument, like n8n after it was killed. */
		async restart({ saved, ...changes }: Partial<TriggerOptions> & { saved?: IDataObject } = {}) {
			options = { ...options, ...changes };
			if (saved !== undefined) stored = JSON.stringify({ [`node:${NAME}`]: saved });
			workflow = await newWorkflow(options, JSON.parse(stored));
			scheduled = newContext('trigger', 'activate');
		},
	};
}

export type Trigger = Awaited<ReturnType<typeof createTrigger>>;
