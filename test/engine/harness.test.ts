import { Expression } from 'n8n-workflow';

import {
	CREDENTIAL_TYPE,
	describeStandIn,
	expressionEngine,
	mockService,
	registerNodeType,
	runNode,
	takeUnexpectedRequests,
} from '../harness';
import { ID_OF_ITEM } from './support/sandbox';

const items = [{ id: 1 }, { id: 2 }];
const parameters = { instanceId: ID_OF_ITEM };

test('The harness runs on the expression engine that the project names', () => {
	expect(Expression.getActiveImplementation()).toBe(expressionEngine());
});

describe('against nock', () => {
	const service = mockService();

	test('The harness sees requests that nothing was set up to answer', async () => {
		service.get('/instances/2/').reply(200, { id: 2 });
		await runNode({ parameters, items, onError: 'continueRegularOutput' });
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/1/']);
	});

	test('n8n pairs neither branch of a plain node in the harness', async () => {
		const request = { baseURL: '={{ $credentials.baseUrl }}', url: '=/instances/{{ $value }}/' };
		const id = { displayName: 'ID', name: 'id', type: 'string', default: '' } as const;
		const credentials = [{ name: CREDENTIAL_TYPE, required: true }];
		const more = { credentials, requestDefaults: {} };
		const description = describeStandIn('plain', [{ ...id, routing: { request } }], more);
		registerNodeType('fixture.plain', { description });
		service.get('/instances/1/').reply(404, {});
		service.get('/instances/2/').reply(200, { id: 2 });
		const { outputs, downstream } = await runNode({
			type: 'fixture.plain',
			parameters: { id: '={{ $json.id }}' },
			items,
			onError: 'continueErrorOutput',
			downstream: true,
		});
		expect(outputs.flat().map(({ pairedItem }) => pairedItem)).toEqual([undefined, undefined]);
		const unresolved = [{ unresolved: expect.any(String) }];
		expect(downstream).toEqual({ success: unresolved, error: unresolved });
	});
});
