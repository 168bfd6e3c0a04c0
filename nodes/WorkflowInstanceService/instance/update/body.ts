import type { IDataObject } from 'n8n-workflow';

import { NOTHING_CHANGED } from '../../api/errors';
import { describeValue, shortened, UserFacingError } from '../../values/userFacingError';
import type { FieldChange } from './changes';
import { SETTABLE, type Settable } from './fields';
import { isListEdit, type ListEntry, type Value } from './settableField';

export const PROCESS_KEY = 'process';

const LONGEST_QUOTE = 80;
const SET_OR_CLEAR = "Set it under 'Fields to Update', or clear it with 'Fields to Clear'.";

/** How to do without a current value. */
function insteadOfKeeping({ label, empty }: Settable): string {
	const verb = empty === undefined ? 'Set' : 'Set or clear';
	return `${verb} '${label}' in this node, so that its current value isn't needed. ${NOTHING_CHANGED}`;
}

function notSaid(settable: Settable): UserFacingError {
	const { key, label } = settable;
	if (key === PROCESS_KEY) {
		return new UserFacingError(
			"The service did not return the 'Process' of the instance, which an update requires",
			`Add 'Process' under 'Fields to Update'. ${NOTHING_CHANGED}`,
		);
	}
	return new UserFacingError(
		`The service did not return the '${label}' of the instance, so it can't be kept`,
		insteadOfKeeping(settable),
	);
}

/**
 * The current value exactly as it was read; undefined when the instance has none.
 *
 * @throws UserFacingError when the service did not say it, or in a form that cannot be sent back
 */
function currentValue(current: IDataObject, settable: Settable): Value | undefined {
	const { key, label, keep, empty } = settable;
	const value = current[key];
	if (value === undefined) throw notSaid(settable);
	if (value === null) return empty === null ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	throw new UserFacingError(
		`The service returned '${label}' in a format that can't be sent back: ${describeValue(value)}`,
		insteadOfKeeping(settable),
	);
}

/** Of entries that say the same, the first. */
function unique(list: ListEntry[]): ListEntry[] {
	return [...new Map(list.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What besides the changes an update depends on. */
interface Surroundings {
	/** The instance as it was read; empty when nothing of it is needed. */
	current: IDataObject;
	/** Whether a field that is not changed stays as it is. */
	isKept(key: string): boolean;
	/** Of the service, without a trailing slash. */
	baseUrl: string;
}

function valueFor(
	settable: Settable,
	changes: readonly FieldChange[],
	{ current, isKept, baseUrl }: Surroundings,
): Value | undefined {
	const { key, edit } = settable;
	const own = changes.filter((change) => change.key === key);
	const edits = own.filter(isListEdit);
	if (edit !== undefined && edits.length > 0) {
		const list = [currentValue(current, settable) ?? []].flat();
		const add = edits.flatMap((each) => each.add);
		return unique(
			edit(list, { add, removes: (entry) => edits.some((each) => each.removes(entry)) }),
		);
	}
	const [replacement] = own;
	if (replacement !== undefined && !isListEdit(replacement)) return replacement.valueAt(baseUrl);
	return isKept(key) ? currentValue(current, settable) : undefined;
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read. What the read
 * did not say cannot be kept.
 *
 * @param changes what the user wants; of a field one thing, or edits of its list
 * @throws UserFacingError when a current value is needed and not known, or cannot be sent back
 */
export function buildBody(
	changes: readonly FieldChange[],
	surroundings: Surroundings,
): IDataObject {
	const body: IDataObject = {};
	for (const settable of SETTABLE) {
		const { key } = settable;
		const value = valueFor(settable, changes, surroundings);
		if (key === PROCESS_KEY && value === undefined) throw notSaid(settable);
		if (value !== undefined) body[key] = value;
	}
	return body;
}

/**
 * Advice for a rejection that is about a value which the user did not enter, but which was kept.
 *
 * @param body what was sent
 * @param changes what the user wanted
 * @param words what the service says
 */
export function adviceOnKeptValue(
	body: IDataObject,
	changes: readonly FieldChange[],
	words: string,
): string | undefined {
	const named = SETTABLE.filter(({ words: own }) => own.test(words));
	const [rejected] = named.filter(({ key }) => Object.hasOwn(body, key));
	const entered = changes
		.filter((change) => isListEdit(change) || change.valueAt('') !== undefined)
		.map(({ key }) => key);
	if (rejected === undefined || named.some(({ key }) => entered.includes(key))) return undefined;
	const { key, label, adviceOnKept = SET_OR_CLEAR } = rejected;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	return `'${label}' wasn't set in this node. To keep it, Update sent back its current value, ${value}. ${adviceOnKept}`;
}
