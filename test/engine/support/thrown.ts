import { WorkflowExecute } from 'n8n-core';

/**
 * Keeps what nodes throw at n8n, before n8n makes a record of it: a log may see all of it. Until
 * jest restores its mocks.
 *
 * @returns the growing list, in order
 */
export function watchThrown(): unknown[] {
	const thrown: unknown[] = [];
	const { runNode } = WorkflowExecute.prototype;
	jest.spyOn(WorkflowExecute.prototype, 'runNode').mockImplementation(async function (
		this: WorkflowExecute,
		...args
	) {
		try {
			return await runNode.apply(this, args);
		} catch (cause) {
			thrown.push(cause);
			throw cause;
		}
	});
	return thrown;
}
