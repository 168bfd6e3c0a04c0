import type { LogEntry, SandboxHandle } from '../../../sandbox/service';
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

/** Where a run happens. */
export interface Stage {
	sandbox: SandboxHandle;
	/** `http://127.0.0.1:<port>` of a server that must not be asked. */
	otherOrigin: string;
}

const MIDDLE = 1;
const NUMBER_OF_ITEM = "={{ $('Items').item.json.number }}";

const itemOf = ({ ids }: Scenario, id: unknown): number =>
	ids.findIndex((own) => own.some((each) => each === Number(id)));

const itemsOf = (scenario: Scenario, ids: unknown): number[] =>
	Array.isArray(ids) ? [...new Set(ids.map((id) => itemOf(scenario, id)))] : [];

/** The item that a request is for. */
function itemOfRequest(scenario: Scenario, { url, body }: LogEntry): number {
	const inPath = /\/instances\/(\d+)\//.exec(url)?.[1];
	return itemOf(scenario, inPath ?? JSON.parse(body).ids[0]);
}

/** The message and advice of the node's error, or else of the first error item. */
function words({ error, outputs }: OneNodeRun): { message: string; advice: string } {
	if (error !== undefined) return { message: error.message, advice: error.description ?? '' };
	const item = outputs.flat().find(({ json }) => json.error !== undefined);
	const { error: message = '', details } = item?.json ?? {};
	return { message: String(message), advice: Object(details).description ?? '' };
}

/** The input items that n8n itself pairs the output items to, on either output. */
function pairing({ outputs, downstream }: OneNodeRun) {
	const paired = [...downstream.success, ...downstream.error].map((item) =>
		'value' in item ? Number(item.value) : item.unresolved,
	);
	const items = outputs.flat().map(({ json }, index) => ({ json, item: paired[index] ?? '?' }));
	const good = items.filter(({ json }) => json.error === undefined);
	const bad = items.filter(({ json }) => json.error !== undefined);
	return {
		/** For each output item, the input item that n8n pairs it to; a text when it cannot. */
		good: good.map(({ item }) => item),
		/** The same for error items. */
		bad: bad.map(({ item }) => item),
		/** What came out for the item in the middle, if it did. */
		output: good.find(({ item }) => item === MIDDLE)?.json,
	};
}

function toldBy({ error }: OneNodeRun, scenario: Scenario) {
	const { deletedIds, notDeletedIds, uncertainIds } = error?.context ?? {};
	if (deletedIds === undefined) return undefined;
	return {
		deleted: itemsOf(scenario, deletedIds),
		'not deleted': itemsOf(scenario, notDeletedIds),
		unknown: itemsOf(scenario, uncertainIds),
	};
}

/** What came of one run. Input items are numbered from 0. */
export type Observation = Awaited<ReturnType<typeof observe>>;

/**
 * Runs an operation on three input items in n8n's engine while the requests of the one in the middle
 * meet a condition.
 */
export async function observe(
	{ scenario, condition, setting }: Cell,
	{ sandbox, otherOrigin }: Stage,
) {
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
	const requested = control.log().map((entry) => itemOfRequest(scenario, entry));
	const isDone = (ids: number[]) => ids.every((id) => scenario.isDone(control.instance(id)));
	return {
		/** Requests that reached the service, by the input item that they were for. */
		sent: scenario.ids.map((_, item) => requested.filter((each) => each === item).length),
		/** The input items whose work is done at the service, though not necessarily told so. */
		changed: [0, 1, 2].filter((item) => isDone(scenario.ids[item] ?? [])),
		...pairing(run),
		/** The item that n8n marks when the node stops. */
		stoppedAt: run.error?.itemIndex,
		/** Which input items were deleted, were not, and perhaps were, as a stopped Bulk Delete says. */
		told: toldBy(run, scenario),
		/** What happened, in the words of the node; empty when nothing stopped an item. */
		...words(run),
		/** Where the API key was found in the record of the execution. */
		leaks: leaks([run.run.raw, run.error?.raw], apiKey),
	};
}
