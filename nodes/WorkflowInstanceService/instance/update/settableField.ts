import type { IDataObject, INodeProperties } from 'n8n-workflow';

export type ListEntry = string | IDataObject;

/** A value in the body of an update. */
export type Value = string | null | ListEntry[];

/** What changes the current list of a field instead of replacing it. */
export interface Amendment {
	/** Entries to add, unless they are there. */
	add: ListEntry[];
	/** Whether an entry is to be removed; `isNew` if it is one to add. */
	removes(entry: ListEntry, isNew: boolean): boolean;
	/** Whether what it adds is to stand alone, as the one user of a step. */
	isExclusive?: boolean;
}

/**
 * How the user changes a field: `set` replaces its value, `setResource` sets it to the resource at
 * a path below the base URL, `leaveOut` omits it from the body, and an amendment edits its list.
 */
export type Change = { set: Value } | { setResource: string } | { leaveOut: true } | Amendment;

/** What the user wants, and of which field. */
export type FieldChange = Change & { key: string };

/** An amendment, with the label of its parameter. */
export type LabeledAmendment = Amendment & { label: string };

export function isAmendment<C extends Change>(change: C): change is C & Amendment {
	return 'removes' in change;
}

/** What is known of an entered value besides itself. */
export interface Entry {
	/** The label of its parameter. */
	label: string;
	/** The time zone of the workflow, e.g. `Europe/Berlin`. */
	zone: string;
	/** What the user entered, with expressions as they stand. */
	entered: unknown;
}

/** A parameter under 'Fields to Update'. */
export interface UpdateParameter {
	form: INodeProperties;
	/** Whether it replaces the value of the field: then 'Fields to Clear' calls the field by its name. */
	replaces?: boolean;
	/** Whether it changes the current list instead of replacing it. */
	amends?: boolean;
	/** Whether it may be left empty. */
	mayBeEmpty?: boolean;
	/** @throws UserFacingError naming the label when the value cannot be used */
	read(value: unknown, entry: Entry): Change;
}

/** A field that clients can set. */
export interface SettableField {
	/** Those that change it. */
	parameters: readonly UpdateParameter[];
	/** What empties it in the service; without one it cannot be. Where it is null, null is a value to keep. */
	empty?: null | [];
	/** Whether nothing was filled in: it must not wipe what is there. */
	isUnfilled(value: unknown): boolean;
	/** Whether an entry that is added takes the place of one that is removed, instead of the last one. */
	takesPlaceOf?(added: ListEntry, removed: ListEntry): boolean;
	/** @throws UserFacingError naming the labels of amendments that contradict each other */
	rejectContradictions?(amendments: LabeledAmendment[]): void;
	/** The current value as it can be sent back; undefined when it cannot. */
	keep(value: unknown): Value | undefined;
	/** What the service calls it when it rejects the value. */
	words: RegExp;
	/** What to do when the service rejects the current value. */
	adviceOnKept?: string;
}

/** Whether an entered text has nothing in it, like an unfilled field and an empty cell. */
export function isBlank(value: unknown): boolean {
	return typeof value === 'string' && value.trim() === '';
}

/** A text as it was read. */
export function keepText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}
