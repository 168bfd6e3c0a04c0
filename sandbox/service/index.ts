import type { Address } from './data/representation';
import { InstanceStore } from './data/store';
import { FaultQueue } from './faults/queue';
import { createContract } from './interface/contract';
import { createApp } from './server/app';
import { createControl } from './server/control';
import type { SandboxControl } from './server/control';
import { RateLimiter } from './server/rateLimiter';
import { RequestLog } from './server/requestLog';

export { SEED } from './data/seedPlan';
export { createContract } from './interface/contract';
export type * from './faults/rules';
export type { ContractRequest, ContractResponse } from './interface/contract';
export type { Instance, InstanceUpdate } from './interface/instance';
export type { SandboxControl } from './server/control';
export type { LogEntry } from './server/requestLog';

export interface SandboxOptions {
	/** Port on 127.0.0.1; 0 (the default) takes any free one. */
	port?: number;
	/** The good key. Default `sandbox-key`. */
	apiKey?: string;
	/** A key that is known but may do nothing (403). Default `sandbox-forbidden-key`. */
	forbiddenKey?: string;
	/** The service's time at its start; its clock runs on from there. Default: the present. */
	now?: Date;
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
	/** Stops at once: open connections are destroyed, unanswered requests too. */
	close(): Promise<void>;
}

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
		snapshotShape: () => control.settings().snapshotShape,
		unknownIds: () => control.settings().unknownIds,
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
