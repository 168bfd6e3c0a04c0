import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { textsAt } from '../docs/parameters/page';

/*
 * Lint rules of n8n's source that its published scan lacks: hint-max-length, open-ended-node-fields. Drop each when `npm run scan` brings it; from the whole form, not from the
 * text of *.node.ts alone, they are a little stricter here.
 */
const nodes = [WorkflowInstanceService, WorkflowInstanceServiceTrigger].map(
	(Node) => new Node().description,
);
const forms = [...nodes, new WorkflowInstanceServiceApi()];

test('no hint is longer than 120 characters', () => {
	const hints = textsAt(forms, 'hint');
	expect(hints.length).toBeGreaterThan(5);
	expect(hints.filter(({ length }) => length > 120)).toEqual([]);
});

test('no JSON field is optional, where it could hide what others should be told', () => {
	const properties = nodes.flatMap((description) => description.properties);
	const open = properties.filter(({ type, required }) => type === 'json' && required !== true);
	expect(open.map(({ name }) => name)).toEqual([]);
});
