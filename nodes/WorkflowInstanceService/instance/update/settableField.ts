import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { UserFacingError } from '../../values/userFacingError';
import type { InstanceField } from '../fields';

export type ListEntry = string | IDataObject;

/** A value in the body of an update; undefined leaves it out. */
export type Value = string | null | ListEntry[] | undefined;

/** Changes the current list of a field instead of replacing it. */
export interface ListEdit {
	/** Entries to add, unless they are there. */
	add: ListEntry[];
	/** Whether a current entry is to be removed. */
	removes(entry: ListEntry): boolean;
	/** Whether a step that it adds may have no other user. */
	isExclusive?: boolean;
}

/** What becomes of a field: an edited list, or another value. */
export type Change = ListEdit | { valueAt(baseUrl: string): Value };

export function isListEdit<C extends Change>(change: C): change is C & ListEdit {
	return 'add' in change;
}

/** The same value for every service. */
export function setTo(value: Value): Change {
	return { valueAt: () => value };
}

export const EMPTY_VALUES = ['reject', 'keep', 'clear'] as const;

/** What is known of an entered value besides itself. */
export interface Entry {
	/** The label of its parameter. */
	label: string;
	/** The time zone of the workflow, e.g. `Europe/Berlin`. */
	zone: string;
	/** What the user entered, with expressions as they stand. */
	entered: unknown;
	/** What an expression does that returns nothing. */
	emptyValues: (typeof EMPTY_VALUES)[number];
}

/** @param place e.g. `'Name'` */
export function emptyValueError(place: string): UserFacingError {
	return new UserFacingError(
		`${place} is empty`,
		"Its expression returned nothing for this item. Correct it, or set 'Empty Values' under 'Options' to Keep or Clear.",
	);
}

/** A parameter under 'Fields to Update'. */
export interface UpdateParameter {
	form: INodeProperties;
	/** Whether it replaces the value of its field, edits its list, or leaves the field to the service. */
	effect: 'edits' | 'omits' | 'replaces';
	/** Whether a value says nothing at all. Default: null, no value and blank text do. */
	isEmpty?(value: unknown): boolean;
	/**
	 * @returns undefined when expressions returned nothing, so that the field stays as it is
	 * @throws UserFacingError naming the label when the value cannot be used
	 */
	read(value: unknown, entry: Entry): Change | undefined;
}

/** A field that clients can set (docs/dev/service-interface.md#update). */
export interface SettableField {
	key: InstanceField;
	/** What saved workflows call it under 'Fields to Clear'. */
	name: string;
	/** Those that change it. */
	parameters: readonly UpdateParameter[];
	/** What empties it in the service; without one it cannot be. */
	empty?: null | [];
	/** The current value as it can be sent back; undefined when it cannot. Default: a text. */
	keep?(value: unknown): Value;
	/** The list with what is added, and without what is removed. An entry may come out twice. */
	edit?(list: ListEntry[], edit: ListEdit): ListEntry[];
	/** @throws UserFacingError naming the parameter that contradicts others */
	rejectContradictions?(edits: ListEdit[]): void;
	/** What the service calls it when it rejects the value. */
	words: RegExp;
	/** What to do when the service rejects the current value. */
	adviceOnKept?: string;
}
