import { isExpression, type Workflow } from 'n8n-workflow';
import type { Evaluation } from './runResult';

/**
 * Records every expression that n8n evaluates for a workflow, whichever engine runs it: all of
 * them pass through this one method of the workflow's WorkflowExpression.
 *
 * @returns the growing list, in order
 */
export function recordEvaluations(workflow: Workflow): Evaluation[] {
	const evaluations: Evaluation[] = [];
	const { expression } = workflow;
	const resolve = expression.resolveSimpleParameterValue.bind(expression);
	expression.resolveSimpleParameterValue = (...args) => {
		const [value, , , , itemIndex, node] = args;
		if (typeof value === 'string' && isExpression(value)) {
			evaluations.push({ node, expression: value.slice(1), itemIndex });
		}
		return resolve(...args);
	};
	return evaluations;
}
