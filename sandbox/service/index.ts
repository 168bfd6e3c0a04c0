import { once } from 'node:events';

import { type SandboxClock, systemClock } from './clock';
import { createControl, type SandboxControl } from './control';
import { createFaults } from './faults';
import { createRateLimiter } from './rateLimit';
import type { Address } from './representation';
import { createRequestLog } from './requestLog';
import { createHttpServer } from './server';
import { createStore } from './store';

export { type SandboxClock, systemClock } from './clock';
export {
	type ContractRequest,
	type ContractResponse,
	createContract,
	DEFAULTS,
	INSTANCE_FIELDS,
} from './contract';
export type { SandboxControl } from './control';
export type { AfterWorkAction, FaultAction, FaultMatch, FaultRule, RespondAction } from './faults';
export type { Change, Instance, SettableProperties } from './instance';
export type { RateLimit } from './rateLimit';
export type { LogEntry } from './requestLog';
export { SEED } from './seed';

export interface SandboxOptions {
	/** Port on 127.0.0.1; 0 (the default) takes any free one. */
	port?: number;
	/** The valid key. */
	apiKey?: string;
	/** Whatever waits or shows a time goes by it, the seeded instances too. Default: the machine's. */
	clock?: SandboxClock;
}

/** A running sandbox. */
export interface SandboxHandle {
	/** `http://127.0.0.1:<port>/api` */
	baseUrl: string;
	/** `http://127.0.0.1:<port>` */
	url: string;
	port: number;
	apiKey: string;
	control: SandboxControl;
	clock: SandboxClock;
	/** Stops immediately: connections are destroyed. */
	close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The port that people find the sandbox at; tests take any free one. */
export const DEFAULT_PORT = 5750;
/** The valid key by default. */
export const DEFAULT_KEY = 'sandbox-key';
const FORBIDDEN_KEY = 'sandbox-forbidden-key';

/**
 * Starts a Workflow Instance Service in this process, with seeded instances (`SEED`), on
 * 127.0.0.1. It responds at `{baseUrl}` as `openapi.yaml` describes; `control` watches it and makes
 * it misbehave.
 *
 * @throws Error with the code EADDRINUSE when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxHandle> {
	const { clock = systemClock(), apiKey = DEFAULT_KEY } = options;
	const address: Address = { origin: '', baseUrl: '' };
	const store = createStore(clock);
	const faults = createFaults();
	const limiter = createRateLimiter(clock);
	const log = createRequestLog(clock, apiKey);
	const control = createControl({ store, faults, limiter, log, address });
	const settings = () => control.configure({});
	const service = { store, address, apiKey, forbiddenKey: FORBIDDEN_KEY, settings };
	const server = createHttpServer({
		store,
		faults,
		limiter,
		log,
		address,
		control,
		service,
		clock,
	});

	server.listen(options.port ?? 0, HOST);
	await once(server, 'listening');
	const listening = server.address();
	const port = listening !== null && typeof listening === 'object' ? listening.port : NaN;
	address.origin = `http://${HOST}:${port}`;
	address.baseUrl = `${address.origin}/api`;
	return {
		baseUrl: address.baseUrl,
		url: address.origin,
		port,
		apiKey,
		control,
		clock,
		async close() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
