import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	createSandbox,
	type FaultAction,
	type RespondAction,
	type SandboxHandle,
} from '../../../sandbox/service';
import type { FaultMatch } from '../../../sandbox/service/faults';
import { systemClock } from '../../../sandbox/service/clock';
import { clockOfSandbox, runNode, type RunNodeOptions } from '../../harness';

/** Runs one sandbox for the tests of a file or describe block, which is reset for each test. */
export function useSandbox() {
	let sandbox: SandboxHandle;
	beforeAll(async () => {
		sandbox = await createSandbox({ clock: clockOfSandbox(systemClock()) });
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());
	return {
		get credentials() {
			return { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		},
		get control() {
			return sandbox.control;
		},
		/** Makes something happen to requests: by default, to the next one; with `times: 0`, to all from then on. */
		fault: (action: FaultAction, { times, ...match }: FaultMatch & { times?: number } = {}) =>
			sandbox.control.addFault({ action, times, match }),
		/** What was requested since the test began, e.g. `GET /api/instances/101/`. */
		requests: () => sandbox.control.log().map(({ method, url }) => `${method} ${url}`),
		log: () => sandbox.control.log(),
		remaining: (ids: number[]) => ids.filter((id) => sandbox.control.instance(id) !== undefined),
		/** Runs the node on items, by default on one without fields, with the sandbox's credential. */
		async run(parameters: INodeParameters, items?: IDataObject[], more?: Partial<RunNodeOptions>) {
			const { baseUrl, apiKey } = sandbox;
			return await runNode({ parameters, items, credentials: { baseUrl, apiKey }, ...more });
		},
	};
}

export type SandboxUnderTest = ReturnType<typeof useSandbox>;

/** A resource locator value as the editor saves it. */
export const locator = (value: string | number, mode: 'id' | 'list' | 'url' = 'id') =>
	({ __rl: true, mode, value }) as const;

/** A locator whose ID is from the field `id` of the input item. */
export const ID_OF_ITEM = locator('={{ $json.id }}');

/** Bulk Delete with the IDs from the field `id` of the input items. */
export const DELETE_IDS = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };

export const CONTINUE = { onError: 'continueRegularOutput' } as const;

/** A response that the service sends instead of its own; a body that is neither text nor bytes is sent as JSON. */
export function respond(status: number, body: unknown = '', headers = {}): RespondAction {
	const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
	return { type: 'respond', status, headers, body: isRaw ? body : JSON.stringify(body) };
}
