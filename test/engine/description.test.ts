import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';

/**
 * Saved workflows hold these names and values, and people read these words: a change is to be seen in
 * review. If it is wanted, run: npm run test:unit -- -u description
 */
describe('What the editor shows and saved workflows hold', () => {
	test('of the node', () => {
		expect(new WorkflowInstanceService().description).toMatchSnapshot();
	});

	test('of the trigger', () => {
		expect(new WorkflowInstanceServiceTrigger().description).toMatchSnapshot();
	});

	test('of the credential', () => {
		expect({ ...new WorkflowInstanceServiceApi() }).toMatchSnapshot();
	});
});
