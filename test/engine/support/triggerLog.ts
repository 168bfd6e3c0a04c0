import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

/** What the trigger of a test writes to the log of n8n from now on, until mocks are restored. */
export function logged(level: 'error' | 'warn'): () => string[] {
	const spy = jest.spyOn(Container.get(Logger), level);
	const origin = expect.objectContaining({ node: 'Trigger', workflowId: '1' });
	return () =>
		spy.mock.calls.map(([line, metadata]) => {
			expect(metadata).toEqual(origin);
			return String(line);
		});
}
