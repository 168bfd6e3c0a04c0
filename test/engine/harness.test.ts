import { Expression } from 'n8n-workflow';

import { expressionEngine, mockService, runNode, takeUnexpectedRequests } from '../harness';
import { ID_OF_ITEM } from './support/sandbox';

const items = [{ id: 1 }, { id: 2 }];
const parameters = { instanceId: ID_OF_ITEM };

test('runs on the engine that the project names', () => {
	expect(Expression.getActiveImplementation()).toBe(expressionEngine());
});

describe('against nock', () => {
	const service = mockService();

	test('sees requests that nothing was set up to answer', async () => {
		service.get('/instances/2/').reply(200, { id: 2 });
		await runNode({ parameters, items, onError: 'continueRegularOutput' });
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/1/']);
	});
});
