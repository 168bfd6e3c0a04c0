import type { IExecuteFunctions } from 'n8n-workflow';

import { asObject } from '../values/json';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { hasExpression, plainReader } from './expressions';
import { type InputItem, UNKNOWN_ITEM } from './inputItem';
import type { ItemParameters, ParameterName } from './parameters';

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
	itemAt?: (itemIndex: number) => InputItem,
): (itemIndex: number) => ItemParameters {
	const { parameters } = context.getNode();
	const timezone = context.getTimezone();
	const constants = new Map<string, unknown>();
	const varying = Object.entries(parameters).filter(([, value]) => hasExpression(value));
	const readers = new Map(varying.map(([name, value]) => [name, plainReader(value)]));
	return (itemIndex) => {
		const evaluated = new Map<string, unknown>();
		const item = itemAt?.(itemIndex) ?? UNKNOWN_ITEM;
		return {
			itemIndex,
			item,
			timezone,
			entered: ({ name }) => parameters[name],
			get(parameter) {
				const { name } = parameter;
				const cache = readers.has(name) ? evaluated : constants;
				if (cache.has(name)) return cache.get(name);
				try {
					const plain = itemAt && readers.get(name)?.(item.json());
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
