import { Expression, WorkflowExpression } from 'n8n-workflow';

// Versions of n8n before the `vm` engine need no start of an engine and hold no isolates: what the
// harness calls around them does nothing there.
const nothing = async (): Promise<void> => {
	await Promise.resolve();
};

function addMissing(target: object, names: string[]): void {
	for (const name of names) {
		if (name in target) continue;
		Object.defineProperty(target, name, { value: nothing, writable: true, configurable: true });
	}
}

addMissing(Expression, ['initExpressionEngine', 'disposeExpressionEngine']);
addMissing(WorkflowExpression.prototype, ['acquireIsolate', 'releaseIsolate']);
if (!('withIsolate' in WorkflowExpression.prototype)) {
	Object.defineProperty(WorkflowExpression.prototype, 'withIsolate', {
		value: async (task: () => unknown) => await task(),
		configurable: true,
	});
}
