import { systemClock } from './clock';
import type { SandboxClock } from './clock';
import type { Address } from './data/representation';
import { InstanceStore } from './data/store';
import { FaultQueue } from './faults/queue';
import { createContract } from './interface/contract';
import { createApp } from './server/app';
import { createControl } from './server/control';
import type { SandboxControl } from './server/control';
import { RateLimiter } from './server/rateLimiter';
import { RequestLog } from './server/requestLog';

export { systemClock } from './clock';
export { SEED } from './data/seedPlan';
export { createContract } from './interface/contract';
export { DEFAULTS, INSTANCE_FIELDS } from './interface/description';
export type { SandboxClock } from './clock';
export type { Change } from './data/model';
export type * from './faults/rules';
export type { ContractRequest, ContractResponse } from './interface/contract';
export type { Instance, SettableProperties } from './interface/instance';
export type { SandboxControl } from './server/control';
export type { LogEntry } from './server/exchange';
export type { RateLimit } from './server/settings';

export interface SandboxOptions {
	/** Port on 127.0.0.1; 0 (the default) takes any free one. */
	port?: number;
	/** The good key. Default `sandbox-key`. */
	apiKey?: string;
	/** A key that is known but may do nothing (403). Default `sandbox-forbidden-key`. */
	forbiddenKey?: string;
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
	forbiddenKey: string;
	control: SandboxControl;
	clock: SandboxClock;
	/** Stops at once: connections are destroyed, whatever is still awaited on them. */
	close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The port that people find the sandbox at; tests take any free one. */
export const DEFAULT_PORT = 5750;
/** The valid key by default. */
export const DEFAULT_KEY = 'sandbox-key';
const DEFAULT_FORBIDDEN_KEY = 'sandbox-forbidden-key';

/**
 * Starts a Workflow Instance Service in this process, with seeded instances (`SEED`), on
 * 127.0.0.1. It responds at `{baseUrl}` as `openapi.yaml` describes; `control` watches it and makes
 * it misbehave.
 *
 * @throws Error with the code EADDRINUSE when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxHandle> {
	const { clock = systemClock(), apiKey = DEFAULT_KEY } = options;
	const { forbiddenKey = DEFAULT_FORBIDDEN_KEY } = options;
	const address: Address = { origin: '', baseUrl: '' };
	const store = new InstanceStore(clock);
	const faults = new FaultQueue();
	const limiter = new RateLimiter(clock);
	const log = new RequestLog(clock);
	const control = createControl({ store, faults, limiter, log, address });
	const contract = createContract({ baseUrl: () => address.baseUrl });
	const { settings } = control;
	const api = { store, contract, address, settings, apiKey, forbiddenKey };
	const app = createApp({ api, clock, faults, limiter, log, control });

	address.origin = await app.listen({ host: HOST, port: options.port ?? 0 });
	address.baseUrl = `${address.origin}/api`;
	return {
		baseUrl: address.baseUrl,
		url: address.origin,
		port: Number(new URL(address.origin).port),
		apiKey,
		forbiddenKey,
		control,
		clock,
		close: async () => {
			await app.close();
		},
	};
}
