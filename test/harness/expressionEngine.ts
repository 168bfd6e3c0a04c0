/** The engine that jest.config.js chose for this test file. */
export function expressionEngine(): 'legacy' | 'vm' {
	const engine: unknown = Reflect.get(globalThis, 'EXPRESSION_ENGINE');
	if (engine === 'legacy' || engine === 'vm') return engine;
	throw new Error(`EXPRESSION_ENGINE is '${String(engine)}': use 'legacy' or 'vm'`);
}
