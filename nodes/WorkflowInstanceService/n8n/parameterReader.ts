import type { IExecuteFunctions } from 'n8n-workflow';

import { asObject } from '../values/json';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { hasExpression, plainReader } from './expressions';
import type { ItemParameters, ParameterName } from './parameters';

/** Returns a function that reads the `$json` of an item, by its index; undefined if only n8n knows it. */
export function jsonReader(context: IExecuteFunctions): (itemIndex: number) => unknown {
	const inputs: unknown[] = context.getInputData().map(({ json }) => json);
	let areInputs: boolean | undefined;
	return (itemIndex) => {
		// n8n's own way costs ten times as much, so this checks only once whether expressions see these items.
		areInputs ??= context.getWorkflowDataProxy(itemIndex).$json === inputs[itemIndex];
		return areInputs ? inputs[itemIndex] : undefined;
	};
}

/** The parameter inside a collection whose expression can't be evaluated, or else the parameter itself. */
function failingPart(
	parameter: Parameters<ItemParameters['get']>[0],
	evaluate: (name: string) => unknown,
): ParameterName {
	const fails = ({ name }: ParameterName) => {
		try {
			evaluate(`${parameter.name}.${name}`);
			return false;
		} catch {
			return true;
		}
	};
	const parts = (parameter.options ?? []).filter((option) => 'displayName' in option);
	return parts.find(fails) ?? parameter;
}

function cannotEvaluate({ displayName }: ParameterName, cause: unknown): UserFacingError {
	const { context, description } = asObject(cause);
	const words = typeof description === 'string' ? ` ${description}` : '';
	const { nodeCause } = asObject(context);
	const node = typeof nodeCause === 'string' ? ` ('${nodeCause}')` : '';
	return new UserFacingError(
		`The expression in '${displayName}' can't be evaluated: ${wordsOf(cause)}${node}`,
		'',
		{ builderAdvice: `Correct the expression, or the data that it uses.${words}` },
	);
}

/**
 * Reads the parameters of each item, evaluating each expression once. A parameter without expressions is read once
 * for all items, and a plain path into a known `$json` is read without n8n.
 */
export function parameterReader(
	context: Pick<IExecuteFunctions, 'getNode' | 'getTimezone'>,
	evaluate: (name: string, itemIndex: number) => unknown,
	jsonOf?: (itemIndex: number) => unknown,
	evaluateExpression?: IExecuteFunctions['evaluateExpression'],
): (itemIndex: number) => ItemParameters {
	const { parameters } = context.getNode();
	const timezone = context.getTimezone();
	const constants = new Map<string, unknown>();
	const varying = Object.entries(parameters).filter(([, value]) => hasExpression(value));
	const readers = new Map(varying.map(([name, value]) => [name, plainReader(value)]));
	return (itemIndex) => {
		const evaluated = new Map<string, unknown>();
		return {
			itemIndex,
			timezone,
			get json() {
				return jsonOf?.(itemIndex);
			},
			entered: ({ name }) => parameters[name],
			evaluate(expression) {
				try {
					return evaluateExpression?.(expression, itemIndex);
				} catch {
					return undefined;
				}
			},
			get(parameter) {
				const { name } = parameter;
				const cache = readers.has(name) ? evaluated : constants;
				if (cache.has(name)) return cache.get(name);
				try {
					const plain = jsonOf && readers.get(name)?.(jsonOf(itemIndex));
					const value = plain === undefined ? evaluate(name, itemIndex) : plain;
					cache.set(name, value);
					return value;
				} catch (cause) {
					const part = failingPart(parameter, (each) => evaluate(each, itemIndex));
					throw cannotEvaluate(part, cause);
				}
			},
		};
	};
}
