import type { IDataObject } from 'n8n-workflow';

import type { LogEntry, SandboxHandle } from '../../../sandbox/service';
import { isObject } from '../../../nodes/WorkflowInstanceService/values/json';
import { leaks } from '../../engine/support/leaks';
import { type OneNodeRun, runNode } from '../../harness';
import type { Cell } from './collect';
import type { Scenario } from './scenarios';

/** The settings under 'On Error', in n8n's words and names. */
export const SETTINGS = [
	{ label: 'Stop', onError: 'stopWorkflow' },
	{ label: 'Continue', onError: 'continueRegularOutput' },
	{ label: 'Continue (using error output)', onError: 'continueErrorOutput' },
] as const;

export type Setting = (typeof SETTINGS)[number]['onError'];

/** What came of one run. Input items are numbered from 0. */
export interface Observation {
	/** Requests that reached the service, by the input item that they were for. */
	sent: number[];
	/** The input items whose work is done at the service, though not necessarily told so. */
	changed: number[];
	/** For each output item, the input item that n8n pairs it to; a text when it cannot. */
	good: Array<number | string>;
	/** The same for error items. */
	bad: Array<number | string>;
	/** The item that n8n marks when the node stops. */
	stoppedAt: number | undefined;
	/** Which input items were deleted, were not, and perhaps were, as a stopped Bulk Delete says. */
	told: { deleted: number[]; notDeleted: number[]; uncertain: number[] } | undefined;
	/** What happened, in the words of the node; empty when nothing stopped an item. */
	message: string;
	advice: string;
	/** What came out for the item in the middle, if it did. */
	output: IDataObject | undefined;
	/** Where the API key was found in the record of the execution. */
	leaks: string[];
}

/** Where a run happens. */
export interface Stage {
	sandbox: SandboxHandle;
	/** `http://127.0.0.1:<port>` of a server that must not be asked. */
	otherOrigin: string;
}

const MIDDLE = 1;
const NUMBER_OF_ITEM = "={{ $('Items').item.json.number }}";

function itemOf({ ids }: Scenario, id: unknown): number {
	return ids.findIndex((own) => own.some((each) => each === Number(id)));
}

function requestedId({ url, body }: LogEntry): unknown {
	const inPath = /\/instances\/(\d+)\//.exec(url)?.[1];
	if (inPath !== undefined) return inPath;
	const parsed: { ids?: unknown[] } = JSON.parse(body);
	return parsed.ids?.[0];
}

function sentTo(scenario: Scenario, log: LogEntry[]): number[] {
	const items = log.map((entry) => itemOf(scenario, requestedId(entry)));
	return scenario.ids.map((_, item) => items.filter((each) => each === item).length);
}

function itemsOf(scenario: Scenario, ids: unknown): number[] {
	return Array.isArray(ids) ? [...new Set(ids.map((id) => itemOf(scenario, id)))] : [];
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The message and advice of the node's error, or else of the first error item. */
function words(run: OneNodeRun): Pick<Observation, 'message' | 'advice'> {
	if (run.error !== undefined) {
		const { message, description = '' } = run.error;
		return { message, advice: description };
	}
	const item = run.outputs.flat().find(({ json }) => json.error !== undefined);
	const { details } = item?.json ?? {};
	return {
		message: textOf(item?.json.error),
		advice: textOf(isObject(details) ? details.description : ''),
	};
}

/** The input items that n8n itself pairs the output items to, on either output. */
function pairing(run: OneNodeRun): Pick<Observation, 'good' | 'bad' | 'output'> {
	const paired = [...run.downstream.success, ...run.downstream.error].map((item) =>
		'value' in item ? Number(item.value) : item.unresolved,
	);
	const items = run.outputs.flat().map(({ json }, index) => ({ json, item: paired[index] ?? '?' }));
	const good = items.filter(({ json }) => json.error === undefined);
	const bad = items.filter(({ json }) => json.error !== undefined);
	return {
		good: good.map(({ item }) => item),
		bad: bad.map(({ item }) => item),
		output: good.find(({ item }) => item === MIDDLE)?.json,
	};
}

function toldBy(run: OneNodeRun, scenario: Scenario): Observation['told'] {
	const { deletedIds, notDeletedIds, uncertainIds } = run.error?.context ?? {};
	if (deletedIds === undefined) return undefined;
	return {
		deleted: itemsOf(scenario, deletedIds),
		notDeleted: itemsOf(scenario, notDeletedIds),
		uncertain: itemsOf(scenario, uncertainIds),
	};
}

/**
 * Runs an operation on three input items in n8n's engine while the requests of the one in the middle
 * meet a condition.
 */
export async function observe(
	{ scenario, condition, setting }: Cell,
	{ sandbox, otherOrigin }: Stage,
): Promise<Observation> {
	const { control, apiKey, url: origin, baseUrl } = sandbox;
	control.reset();
	const [, [middleId = 0]] = scenario.ids;
	const instance = control.instance(middleId);
	if (instance === undefined) throw new Error(`The sandbox has no instance ${middleId}`);
	const surroundings = { instance, origin, otherOrigin };
	if (condition.fault !== undefined) {
		control.addFault({ ...condition.fault(surroundings), match: scenario.match });
	}
	const run = await runNode({
		parameters: {
			...scenario.parameters,
			...(condition.timeoutMs && { requestOptions: { timeout: condition.timeoutMs } }),
		},
		items: scenario.ids.map((ids, number) => ({ number, ...scenario.input(ids) })),
		onError: setting,
		downstream: NUMBER_OF_ITEM,
		// As people paste it.
		credentials: {
			baseUrl,
			apiKey: ` Api-Key ${apiKey} `,
			...condition.credentials?.(surroundings),
		},
	});
	const done = (ids: number[]) => ids.every((id) => scenario.isDone(control.instance(id)));
	return {
		sent: sentTo(scenario, control.log()),
		changed: [...scenario.ids.keys()].filter((item) => done(scenario.ids[item] ?? [])),
		...pairing(run),
		stoppedAt: run.error?.itemIndex,
		told: toldBy(run, scenario),
		...words(run),
		leaks: leaks([run.run.raw, run.error?.raw], apiKey),
	};
}
