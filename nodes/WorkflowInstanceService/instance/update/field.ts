import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { chosenIn } from '../../values/ids';
import { entriesOf } from '../../values/textList';
import { isEmpty, trimmed } from '../../values/userFacingError';
import { INSTANCE_FIELDS, type InstanceField } from '../fields';

export const UPDATE_FIELDS_LABEL = 'Fields to Update';

/** What the user entered for a parameter under 'Fields to Update'. */
export interface Entry {
	label: string;
	value: unknown;
	/** The value with expressions as they stand. */
	entered: unknown;
	/** What to do where an expression returned nothing. */
	emptyValues: 'reject' | 'keep' | 'clear';
	/** Whether an AI agent fills in the expressions. */
	isTool: boolean;
	/** Of the workflow, e.g. `Europe/Berlin`. */
	timezone: string;
	/** Of the credential. */
	baseUrl: string;
}

/** What is sent for a field; undefined leaves its key out. */
export interface SentValue {
	value: GenericValue;
}

/** What becomes of a field: another value, or an edited list. */
export type Change = SentValue | { edit(current: GenericValue[]): GenericValue[] };

/** A parameter under 'Fields to Update': its form, and what a filled value of it means. */
export interface FieldParameter {
	form: INodeProperties;
	/** Whether it gives the field a new value as a whole, so that it can empty it, too. */
	replaces: boolean;
	/** Returns undefined where expressions returned nothing. Throws UserFacingError about other values. */
	read(entry: Entry): Change | undefined;
}

/** A field that clients can set (docs/dev/service-interface.md#update). */
export interface UpdateField {
	key: InstanceField;
	/** Its option under 'Fields to Clear', and what empties it; absent where it can't be emptied. */
	clear?: { option: string; value: null | [] };
	parameters: readonly FieldParameter[];
	/** A returned value as it can be sent back; undefined if it can't. */
	keep(value: unknown): SentValue | undefined;
	/** The same for values of the same meaning; where it's nothing, only equal values have the same. */
	meaningOf?(value: GenericValue): GenericValue;
	/** What the service calls it, where the JSON of a rejection has no key of a field, and the word is clear. */
	words?: RegExp;
	/** What to do where the service rejects the value that was kept, or that the user set. */
	adviceOnKept?: string;
	adviceOnSet?: string;
}

export function labelOf({ key }: UpdateField): string {
	return INSTANCE_FIELDS[key];
}

/** Keeps a text, or null where the field can be empty. */
export function keepText(value: unknown): SentValue | undefined {
	return typeof value === 'string' ? { value } : undefined;
}

export function keepTextOrNull(value: unknown): SentValue | undefined {
	return value === null ? { value } : keepText(value);
}

/** Keeps a list whose entries are all understood. Of none, the key is left out. */
export function keepList(
	value: unknown,
	keepEntry: (entry: unknown) => IDataObject | string | undefined,
): SentValue | undefined {
	if (value === null) return { value: undefined };
	if (!Array.isArray(value)) return undefined;
	const entries = value.flatMap((entry) => keepEntry(entry) ?? []);
	return entries.length === value.length ? { value: entries } : undefined;
}

/** Words, an empty list or an empty object, by which models say that they give no value. */
const NOTHING = /^(null|undefined|none|n\/a|\{\s*\})$/i;

/** Whether a model gives no value, also in a list or as its text. */
export function saysNothing(value: unknown): boolean {
	return entriesOf(chosenIn(value)).every(
		(each) => isEmpty(each) || NOTHING.test(trimmed(String(each))),
	);
}
