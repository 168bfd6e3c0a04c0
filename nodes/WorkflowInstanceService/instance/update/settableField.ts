import type { GenericValue, INodeProperties } from 'n8n-workflow';

import { UserFacingError } from '../../values/userFacingError';
import type { InstanceField } from '../fields';

export const EMPTY_VALUES = ['reject', 'keep', 'clear'] as const;

/** What the user entered for a parameter. */
export interface Entry {
	label: string;
	value: unknown;
	/** The value with expressions as they stand. */
	entered: unknown;
	/** What an expression does that returns nothing. */
	emptyValues: (typeof EMPTY_VALUES)[number];
	/** The time zone of the workflow, e.g. `Europe/Berlin`. */
	zone: string;
}

/** Makes the next list of the list so far, and of the one in the service. */
export type Edit = (list: unknown[], current: unknown[]) => unknown[];

/** What becomes of a field: another value (undefined leaves it out), a URL of the service, or an edited list. */
export type Change = { value: GenericValue } | { path: string } | { edit: Edit };

/** What edits make of a list. */
export function edited(changes: Change[], current: unknown[]): unknown[] {
	return changes.reduce(
		(list, change) => ('edit' in change ? change.edit(list, current) : list),
		current,
	);
}

/** A field that clients can set (docs/dev/service-interface.md#update). */
export interface SettableField {
	key: InstanceField;
	/** Its name under 'Fields to Clear', and of the parameter that replaces its value. */
	name: string;
	/** What changes it under 'Fields to Update'. */
	parameters: Array<{
		form: INodeProperties;
		/** Whether a value says nothing at all. Default: null, no value and blank text do. */
		isEmpty?(value: unknown): boolean;
		/** Undefined when expressions returned nothing, so that the field stays as it is. */
		read(entry: Entry): Change | undefined;
	}>;
	/** What empties it in the service; without one it cannot be. */
	empty?: null | [];
	/** The current value as it can be sent back; undefined when it cannot. Default: a text. */
	keep?(value: unknown): GenericValue;
	/** What the service calls it when it rejects the value. */
	words: RegExp;
	/** What to do when the service rejects the current value. */
	adviceOnKept?: string;
}

/** @param place e.g. `'Name'` */
export function emptyValueError(place: string): UserFacingError {
	return new UserFacingError(
		`${place} is empty`,
		"Its expression returned nothing for this item. Correct it, or set 'Empty Values' under 'Options' to Keep or Clear.",
	);
}
