import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { wholeNumber } from '../values/ids';
import { asObject } from '../values/json';
import { isEmpty, trimmed } from '../values/text';
import { entriesOf } from '../values/textList';
import { notValid, UserFacingError } from '../values/userFacingError';
import type { InputItem } from './inputItem';

/** The label of a parameter, for messages, and its name, for n8n. */
export type ParameterName = Pick<INodeProperties, 'displayName' | 'name'>;

/** The parameters of the node for one item, with the user's expressions evaluated. */
export interface ItemParameters {
	/** The value of a top-level parameter; null when it is not shown. */
	get(parameter: ParameterName & Pick<INodeProperties, 'options'>): unknown;
	/** What the user entered, with expressions unevaluated, e.g. `={{ $json.id }}`. */
	entered(parameter: ParameterName): unknown;
	itemIndex: number;
	item: InputItem;
	/** The time zone of the workflow, e.g. `Europe/Berlin`. */
	timezone: string;
}

/** An option that is a whole number within bounds. */
export type NumberOption = INodeProperties & {
	default: number;
	typeOptions: { minValue: number; maxValue?: number; numberPrecision: 0 };
};

const OPTIONS: ParameterName = { displayName: 'Options', name: 'options' };

/** The options of an operation, in the order of their labels. A default is the value that an option has when added. */
export function optionsForm(options: INodeProperties[]): INodeProperties {
	return {
		...OPTIONS,
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}

/** The options that the user added. n8n replaces any other value by an empty object. */
export function optionsOf(parameters: Pick<ItemParameters, 'get'>): IDataObject {
	return asObject(parameters.get(OPTIONS));
}

/** The value of an option: the form's default when the user did not add it. */
export function numberOption(parameters: ItemParameters, option: NumberOption): number {
	const { minValue, maxValue = Infinity } = option.typeOptions;
	const options = optionsOf(parameters);
	const value = Object.hasOwn(options, option.name) ? options[option.name] : option.default;
	const number = wholeNumber(value);
	if (number !== undefined && number >= minValue && number <= maxValue) return number;
	const bounds = maxValue < Infinity ? `from ${minValue} to ${maxValue}` : `of ${minValue} or more`;
	const advice = `Enter a whole number ${bounds}, or remove the option to use the default, ${option.default}.`;
	throw notValid(value, `'${option.displayName}'`, `a whole number ${bounds}`, advice);
}

/** The value of an option that is a switch: off unless the user added it, whatever the form's default. */
export function switchOption(options: IDataObject, option: ParameterName): boolean {
	return Object.hasOwn(options, option.name) && readSwitch(options[option.name], option);
}

/** Whether a switch is on. Throws UserFacingError if a value isn't boolean: an empty one must not turn off a dry run. */
function readSwitch(value: unknown, { displayName }: ParameterName): boolean {
	if (typeof value === 'boolean') return value;
	const advice = 'Set it to true or false, without quotation marks.';
	// n8n removes the = of most expressions.
	if (/\{\{/.test(String(value)))
		throw new UserFacingError(`'${displayName}' can't be an expression`, advice);
	throw notValid(value, `'${displayName}'`, 'true or false', advice);
}

/** The value of a parameter with options, or one entry of several, in a place such as `'Output'`. */
export function chosenOption<Option extends string>(
	value: unknown,
	place: string,
	options: readonly Option[],
): Option {
	// Labels are accepted, too, such as 'Step Assignments' for step_assignments.
	const bare = (text: string) => text.toLowerCase().replace(/[\s_]/g, '');
	const entered = typeof value === 'string' ? bare(trimmed(value)) : value;
	const option = options.find((each) => bare(each) === entered);
	if (option !== undefined) return option;
	const advice = `Choose from: ${options.join(', ')}.`;
	throw notValid(value, place, 'one of its options', advice);
}

/** The options chosen in a parameter for several, each once. Its value is a list, maybe empty, or text with commas. */
export function chosenOptions<Option extends string>(
	value: unknown,
	label: string,
	options: readonly Option[],
): Option[] {
	const entries = entriesOf(value);
	const filled = entries.filter((entry) => !isEmpty(entry));
	// If there are only empty ones, they are not valid.
	const chosen = filled.length > 0 ? filled : entries;
	return [...new Set(chosen.map((each) => chosenOption(each, `'${label}'`, options)))];
}

export const maxWait: NumberOption = {
	displayName: 'Max Wait (Seconds)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86_400, numberPrecision: 0 },
	default: 300,
	description:
		'How long to wait for a service that limits the rate or is down. If it asks for a longer wait, the node gives up immediately.',
};

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to only list what would be changed or deleted, without changing or deleting anything',
	builderHint: {
		propertyHint: 'Set it as a top-level parameter, not under options, and not by an expression.',
	},
};

/** n8n drops unknown options. So without this one, which no form shows, nobody would notice a misplaced Dry Run. */
const misplacedDryRun: INodeProperties = {
	displayName: dryRun.displayName,
	name: dryRun.name,
	type: 'hidden',
	default: '',
	builderHint: { propertyHint: 'Always rejected here. Set dryRun as a top-level parameter.' },
};

/** The options of all operations that change something. */
export const writeOptions = [maxWait, misplacedDryRun];

/** Whether 'Dry Run' is on. Throws UserFacingError if it's not true or false, or only on where it has no effect. */
export function readDryRun({ entered }: Pick<ItemParameters, 'entered'>): boolean {
	// As entered, since n8n evaluates $fromAI even in a parameter without expressions. Some operations have no Dry Run.
	const value = entered(dryRun);
	const isOn = value !== undefined && readSwitch(value, dryRun);
	const { displayName, name } = misplacedDryRun;
	const { [name]: misplaced } = asObject(entered(OPTIONS));
	if (isOn || isEmpty(misplaced) || misplaced === false) return isOn;
	throw new UserFacingError(
		`'${displayName}' is off, but also set under '${OPTIONS.displayName}', where it has no effect`,
		'',
		{
			builderAdvice: `Turn on ${displayName}, or remove ${name} from the options in the JSON of the node, or use a new node.`,
		},
	);
}

export const dryRunNotice: INodeProperties = {
	displayName:
		'Dry Run is on, so the node only lists what it would change or delete. To make these changes, turn off Dry Run.',
	name: 'dryRunNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [true] } },
};
