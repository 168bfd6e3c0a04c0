import type { IDataObject, INodeParameterResourceLocator, INodeParameters } from 'n8n-workflow';

import { createSandbox, type LogEntry, type SandboxHandle } from '../../../sandbox/service';
import { systemClock } from '../../../sandbox/service/clock';
import {
	clockOfSandbox,
	type OneNodeRun,
	runNode,
	type RunNodeOptions,
	useLocalServers,
} from '../../harness';

/** The sandbox of a test file; the address and key are those of the running service. */
export interface SandboxUnderTest {
	readonly credentials: { baseUrl: string; apiKey: string };
	readonly control: SandboxHandle['control'];
	/** What was requested since the test began, e.g. `GET /api/instances/101/`. */
	requests(): string[];
	/** The log entries since the test began. */
	log(): LogEntry[];
	/** Those of these instances that are still there. */
	left(ids: number[]): number[];
	/** Runs the node on items, by default one without fields, with the credential of the sandbox. */
	run(
		parameters: INodeParameters,
		items?: IDataObject[],
		settings?: Partial<RunNodeOptions>,
	): Promise<OneNodeRun>;
}

/** Runs one sandbox for the tests of a file or describe block, as new for each test. */
export function useSandbox(): SandboxUnderTest {
	useLocalServers();
	let sandbox: SandboxHandle;
	beforeAll(async () => {
		sandbox = await createSandbox({ clock: clockOfSandbox(systemClock()) });
	});
	beforeEach(() => {
		sandbox.control.reset();
	});
	afterAll(async () => {
		await sandbox.close();
	});
	return {
		get credentials() {
			return { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		},
		get control() {
			return sandbox.control;
		},
		requests: () => sandbox.control.log().map(({ method, url }) => `${method} ${url}`),
		log: () => sandbox.control.log(),
		left: (ids) => ids.filter((id) => sandbox.control.instance(id) !== undefined),
		async run(parameters, items, settings) {
			const { baseUrl, apiKey } = sandbox;
			return await runNode({ parameters, items, credentials: { baseUrl, apiKey }, ...settings });
		},
	};
}

/** A resource locator value as the editor saves it. */
export function locator(
	value: string | number,
	mode: 'id' | 'list' | 'url' = 'id',
): INodeParameterResourceLocator {
	return { __rl: true, mode, value };
}

/** The locator whose id comes from the field `id` of the input item. */
export const ID_OF_ITEM = locator('={{ $json.id }}');
