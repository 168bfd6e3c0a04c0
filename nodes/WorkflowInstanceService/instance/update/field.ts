import type { GenericValue, INodeProperties } from 'n8n-workflow';

import { isExpression } from '../../n8n/expressions';
import type { NodeRun } from '../../n8n/operation';
import type { Parameters } from '../../n8n/parameters';
import { chosenIn } from '../../values/ids';
import { entriesOf } from '../../values/textList';
import { isEmpty, trimmed } from '../../values/userFacingError';

export const UPDATE_FIELDS_LABEL = 'Fields to Update';

/** What the user entered for a parameter under 'Fields to Update'. */
export interface Entry extends Pick<NodeRun, 'baseUrl' | 'isTool'>, Pick<Parameters, 'timezone'> {
	label: string;
	value: unknown;
	/** The value with expressions as they stand. */
	entered: unknown;
	/** What to do where an expression returned nothing. */
	emptyValues: 'reject' | 'keep' | 'clear';
}

/** What becomes of a field: another value (undefined leaves its key out), or an edited list. */
export type Change = { value: GenericValue } | { edit(current: GenericValue[]): GenericValue[] };

/** A parameter under 'Fields to Update': its form, and what a filled value of it means. */
export interface FieldParameter {
	form: INodeProperties;
	/** What clears the field; absent where an empty value can't. */
	clear?: { value: null | [] };
	/** Returns undefined where expressions returned nothing. Throws UserFacingError about other values. */
	read(entry: Entry): Change | undefined;
}

/** A field that clients can set (docs/dev/service-interface.md#update), by the parameter that replaces its value. */
export interface UpdateField extends FieldParameter {
	key: string;
	label: string;
	/** The parameters that change its current list. */
	edits?: readonly FieldParameter[];
	/** A returned value, other than null, as it can be sent back; undefined if it can't. */
	keep(value: unknown): GenericValue;
	/** The same for values of the same meaning; where it's nothing, only equal values have the same. */
	meaningOf?(value: GenericValue): GenericValue;
	/** What the service calls it, where the JSON of a rejection has no key of a field, and the word is clear. */
	words?: RegExp;
	/** What to do where the service rejects the value that the user set. */
	adviceOnSet?: string;
}

/** Keeps a text. */
export function keepText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** Keeps a list whose entries are all understood. */
export function keepList<Kept>(
	value: unknown,
	keepEntry: (entry: unknown) => Kept | undefined,
): Kept[] | undefined {
	const entries = Array.isArray(value) ? value.map(keepEntry) : [undefined];
	return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

/** Words, an empty text or an empty object, by which models say that they give no value. */
const NOTHING = /^(null|undefined|none|n\/a|\{\s*\})?$/i;

/** Whether a model gives no value, also in a list or as its text. */
export function saysNothing(value: unknown): boolean {
	return entriesOf(chosenIn(value)).every((each) => NOTHING.test(trimmed(String(each))));
}

/** Whether an expression returned nothing. An AI agent may say that in words. */
export function isLeftOut(value: unknown, entered: unknown, isTool: boolean): boolean {
	if (!isExpression(chosenIn(entered))) return false;
	return isTool ? saysNothing(value) : isEmpty(chosenIn(value));
}
