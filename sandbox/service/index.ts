import { once } from 'node:events';

import type { Service } from './api';
import { type SandboxClock, systemClock } from './clock';
import { createControl } from './control';
import { createFaults } from './faults';
import { createLog } from './log';
import { createHttpServer } from './server';
import { createStore } from './store';

export { api, DEFAULTS, INSTANCE_FIELDS } from './api';
export type { SandboxClock } from './clock';
export type { SandboxControl } from './control';
export type { AfterWorkAction, FaultAction, RespondAction } from './faults';
export type { Change, Instance, SettableProperties } from './instance';
export type { RateLimit } from './rateLimit';
export { SEED } from './seed';

export interface SandboxOptions {
	/** The port on 127.0.0.1; 0 (the default) for any free one. */
	port?: number;
	apiKey?: string;
	/** Everything that waits or shows a time uses it, even the seeded instances. Default: the machine's. */
	clock?: SandboxClock;
}

/** A running sandbox. */
export type SandboxHandle = Awaited<ReturnType<typeof createSandbox>>;

/** The port on which people find the sandbox; tests use any free one. */
export const DEFAULT_PORT = 5750;

/**
 * Starts a Workflow Instance Service in this process, with seeded instances (`SEED`), on
 * 127.0.0.1. It responds at `{baseUrl}` as `openapi.yaml` describes; with `control`, it can be watched
 * and made to misbehave.
 *
 * @throws Error with the code EADDRINUSE when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}) {
	const { clock = systemClock(), apiKey = 'sandbox-key', port: wanted = 0 } = options;
	const service: Service = { store: createStore(clock), origin: '', apiKey };
	const sandbox = {
		service,
		faults: createFaults(),
		limiter: undefined,
		log: createLog(clock, apiKey),
		latencyMs: 0,
	};
	const control = createControl(sandbox);
	const server = createHttpServer({ sandbox, control, clock });
	server.listen(wanted, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = address !== null && typeof address === 'object' ? address.port : NaN;
	const url = `http://127.0.0.1:${port}`;
	service.origin = url;
	return {
		baseUrl: `${url}/api`,
		url,
		port,
		apiKey,
		control,
		/** Stops immediately: connections are destroyed. */
		async close() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
