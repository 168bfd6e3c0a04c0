import type {
	IDataObject,
	IExecutePaginationFunctions,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';

import { asObject } from '../values/objects';
import { describeValue, Trouble } from '../values/trouble';

/** The parameters of the node for one item, with the user's expressions evaluated. */
export interface Parameters {
	/** The value of a top-level parameter; null when it is not shown. */
	get(name: string): unknown;
	/** What the user entered, with expressions as they stand, e.g. `={{ $json.id }}`. */
	entered(name: string): unknown;
	/** The time zone of the workflow, e.g. `Europe/Berlin`. */
	timezone: string;
}

/**
 * The parameters of an item: that of `context`, or another one of the same run (ENGINE, 14).
 */
export function parametersOf(
	context: IExecutePaginationFunctions,
	item = context.getItemIndex(),
): Parameters {
	let parameters: INodeParameters | undefined;
	// n8n copies the whole node each time that it is asked for.
	const entered = (name: string) => (parameters ??= context.getNode().parameters)[name];
	const evaluate = (name: string): unknown => {
		const value = entered(name);
		if (typeof value !== 'string' || !value.startsWith('=')) return value;
		return context.evaluateExpression(value.slice(1), item);
	};
	return {
		get: (name) =>
			item === context.getItemIndex() ? context.getNodeParameter(name, null) : evaluate(name),
		entered,
		timezone: context.getTimezone(),
	};
}

/** An option that is a whole number within bounds. */
export type NumberOption = INodeProperties & {
	type: 'number';
	default: number;
	typeOptions: { minValue: number; maxValue?: number; numberPrecision: 0 };
};

export const maxConcurrentRequests: NumberOption = {
	displayName: 'Max Concurrent Requests',
	name: 'maxConcurrentRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 10,
	description:
		'How many items may talk to the service at the same time. Lower it if the service answers that there are too many requests.',
};

export const maxRetries: NumberOption = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
	default: 4,
	description:
		'How often a request is sent again when the service asks to wait. The service decides how long to wait. A lost connection is tried once more at most.',
};

/** The options that the user added. n8n itself makes an empty form of anything else. */
export function optionsOf(parameters: Parameters): IDataObject {
	return asObject(parameters.get('options'));
}

/**
 * The value of an option, its default when the user did not add it.
 *
 * @throws Trouble naming the label when it is not a whole number within the bounds
 */
export function numberOption(options: IDataObject, option: NumberOption): number {
	const { minValue, maxValue = Number.MAX_SAFE_INTEGER } = option.typeOptions;
	const value = options[option.name] ?? option.default;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (isWholeNumber(number) && number >= minValue && number <= maxValue) return number;
	const bounds = option.typeOptions.maxValue === undefined ? 'or more' : `to ${maxValue}`;
	throw new Trouble(
		`'${option.displayName}' cannot be ${describeValue(value)}`,
		`Enter a whole number: ${minValue} ${bounds}. Without the option it is ${option.default}.`,
	);
}

/**
 * The value of an option that is a switch; off when the user did not add it.
 *
 * @throws Trouble naming the label when it is neither true nor false
 */
export function switchOption(
	options: IDataObject,
	{ displayName, name }: Pick<INodeProperties, 'displayName' | 'name'>,
): boolean {
	const { [name]: value = false } = options;
	if (typeof value === 'boolean') return value;
	throw new Trouble(`'${displayName}' cannot be ${describeValue(value)}`, 'Use true or false.');
}

function isWholeNumber(value: unknown): value is number {
	return Number.isSafeInteger(value);
}
