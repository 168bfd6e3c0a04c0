import { Expression, WorkflowExpression } from 'n8n-workflow';

// Versions of n8n before the `vm` engine don't start an engine and have no isolates, so what the
// harness calls for these does nothing there.
const nothing = async (): Promise<void> => {
	await Promise.resolve();
};

const withIsolate = async (task: () => unknown) => await task();

const STAND_INS: Array<[target: object, name: string, value: unknown]> = [
	[Expression, 'initExpressionEngine', nothing],
	[Expression, 'disposeExpressionEngine', nothing],
	[WorkflowExpression.prototype, 'withIsolate', withIsolate],
];
for (const [target, name, value] of STAND_INS) {
	if (!(name in target)) Object.defineProperty(target, name, { value });
}
