import { createApp } from './app';
import { createControl } from './control';
import { FaultQueue } from './faults';
import { RateLimiter } from './rateLimiter';
import type { Address } from './representation';
import { RequestLog } from './requestLog';
import { InstanceStore } from './store';
import type { SandboxHandle, SandboxOptions } from './types';
import { createContract } from './validation';

export { SEED } from './seedPlan';
export { createContract } from './validation';
export type { Contract, ContractRequest, ContractResponse, Violation } from './validation';
export type * from './types';

const HOST = '127.0.0.1';
/** The port that people find the sandbox at; tests take any free one. */
export const DEFAULT_PORT = 5750;
/** The good key, unless another one is given. */
export const DEFAULT_KEY = 'sandbox-key';
const DEFAULT_FORBIDDEN_KEY = 'sandbox-forbidden-key';

/** A clock that shows `start` now, and runs on from there. Milliseconds since the epoch. */
function clockFrom(start: number): () => number {
	const startedAt = performance.now();
	return () => Math.round(start + performance.now() - startedAt);
}

/**
 * Starts a Workflow Instance Service in this process, with seeded instances (`SEED`), on
 * 127.0.0.1. It answers at `{baseUrl}` as `openapi.yaml` describes; `control` watches it and makes
 * it misbehave.
 *
 * @throws Error with the code EADDRINUSE when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxHandle> {
	const seedTime = (options.now ?? new Date()).getTime();
	const apiKey = options.apiKey ?? DEFAULT_KEY;
	const forbiddenKey = options.forbiddenKey ?? DEFAULT_FORBIDDEN_KEY;
	const address: Address = { origin: '', baseUrl: '' };
	const store = new InstanceStore(seedTime);
	const faults = new FaultQueue();
	const limiter = new RateLimiter();
	const log = new RequestLog();
	const control = createControl({ store, faults, limiter, log, address });
	const api = {
		store,
		contract: createContract({ baseUrl: () => address.baseUrl }),
		address,
		settings: control.settings,
		apiKey,
		forbiddenKey,
		now: clockFrom(seedTime),
	};
	const app = createApp({ api, faults, limiter, log, control });

	address.origin = await app.listen({ host: HOST, port: options.port ?? 0 });
	address.baseUrl = `${address.origin}/api`;
	return {
		baseUrl: address.baseUrl,
		url: address.origin,
		port: Number(new URL(address.origin).port),
		apiKey,
		forbiddenKey,
		control,
		close: async () => {
			await app.close();
		},
	};
}
