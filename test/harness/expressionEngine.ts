import { Expression } from 'n8n-workflow';

/**
 * The engine that jest.config.js chose for this test file.
 *
 * @throws Error when the project sets anything but `legacy` or `vm`
 */
export function expressionEngine(): 'legacy' | 'vm' {
	const engine: unknown = Reflect.get(globalThis, 'EXPRESSION_ENGINE');
	if (engine === 'legacy' || engine === 'vm') return engine;
	throw new Error(`EXPRESSION_ENGINE is '${String(engine)}': use 'legacy' or 'vm'`);
}

/**
 * Starts the engine once per test file, as n8n does at start-up (base-command.js of the package
 * n8n); the figures are the defaults of N8N_EXPRESSION_ENGINE_* (`poolSize` isolates, cached
 * expressions, milliseconds per evaluation, megabytes per isolate).
 */
export function useExpressionEngine(): void {
	beforeAll(async () => {
		await Expression.initExpressionEngine({
			engine: expressionEngine(),
			poolSize: 1,
			maxCodeCacheSize: 1024,
			bridgeTimeout: 5000,
			bridgeMemoryLimit: 128,
		});
	});
	afterAll(async () => await Expression.disposeExpressionEngine());
}
