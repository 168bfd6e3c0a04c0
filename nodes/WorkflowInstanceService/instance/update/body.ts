import type { IDataObject } from 'n8n-workflow';

import { NOTHING_CHANGED } from '../../api/errors';
import { describeValue, shortened, UserFacingError } from '../../values/userFacingError';
import { SETTABLE, type Settable } from './fields';
import {
	type Amendment,
	type FieldChange,
	isAmendment,
	type ListEntry,
	type Value,
} from './settableField';

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

/**
 * A list with what is added and without what is removed, each entry once, order kept. What is added comes
 * last, unless it takes the place of something that is removed.
 */
function amended(
	list: ListEntry[],
	amendments: Amendment[],
	{ takesPlaceOf = () => false }: Settable,
): ListEntry[] {
	const isRemoved = (entry: ListEntry, isNew: boolean) =>
		amendments.some(({ removes }) => removes(entry, isNew));
	const added = amendments.flatMap(({ add }) => add).filter((entry) => !isRemoved(entry, true));
	const changed = list.flatMap((entry) =>
		isRemoved(entry, false) ? added.filter((each) => takesPlaceOf(each, entry)) : [entry],
	);
	const all = [...changed, ...added];
	return [...new Map(all.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What besides the changes an update depends on. */
interface Surroundings {
	/** The instance as it was read; empty when nothing of it is needed. */
	current: IDataObject;
	/** Whether the fields that the user did not fill in stay as they are. */
	keepsRest: boolean;
	/** Of the service, without a trailing slash. */
	baseUrl: string;
}

function valueFor(
	settable: Settable,
	changes: readonly FieldChange[],
	{ current, keepsRest, baseUrl }: Surroundings,
): Value | undefined {
	const own = changes.filter(({ key }) => key === settable.key);
	const [first] = own;
	if (first === undefined) return keepsRest ? currentValue(current, settable) : undefined;
	if ('set' in first) return first.set;
	if ('setResource' in first) return `${baseUrl}${first.setResource}`;
	if ('leaveOut' in first) return undefined;
	const list = [currentValue(current, settable) ?? []].flat();
	return amended(list, own.filter(isAmendment), settable);
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read. What the read
 * did not say cannot be kept.
 *
 * @param changes what the user wants; of a field one thing, or amendments
 * @throws UserFacingError when a current value is needed and not known, or cannot be sent back
 */
export function buildBody(
	changes: readonly FieldChange[],
	surroundings: Surroundings,
): IDataObject {
	const values = SETTABLE.map((settable) => ({
		settable,
		value: valueFor(settable, changes, surroundings),
	}));
	for (const { settable, value } of values) {
		if (settable.key === PROCESS_KEY && value === undefined) throw notSaid(settable);
	}
	return Object.fromEntries(
		values
			.filter(({ value }) => value !== undefined)
			.map(({ settable: { key }, value }) => [key, value]),
	);
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
	const entered = changes.filter((change) => !('leaveOut' in change)).map(({ key }) => key);
	if (rejected === undefined || named.some(({ key }) => entered.includes(key))) return undefined;
	const { key, label, adviceOnKept = SET_OR_CLEAR } = rejected;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	return `'${label}' wasn't set in this node. To keep it, Update sent back its current value, ${value}. ${adviceOnKept}`;
}
