import type { IDataObject } from 'n8n-workflow';

import { NOTHING_CHANGED } from '../../api/errors';
import { describeValue, shortened, UserFacingError } from '../../values/userFacingError';
import type { FieldChange } from './changes';
import { SETTABLE, type Settable } from './fields';
import { isListEdit, type Value } from './settableField';

const LONGEST_QUOTE = 80;

function cannotKeep({ label, empty }: Settable, message: string): UserFacingError {
	const verb = empty === undefined ? 'Set' : 'Set or clear';
	return new UserFacingError(
		message,
		`${verb} '${label}' in this node, so that its current value isn't needed. ${NOTHING_CHANGED}`,
	);
}

const isText = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * The current value exactly as it was read; undefined when the instance has none.
 *
 * @throws UserFacingError when the service did not say it, or in a form that cannot be sent back
 */
function currentValue(current: IDataObject, settable: Settable): Value {
	const { key, label, keep = isText, empty } = settable;
	const value = current[key];
	if (value === undefined || (value === null && empty === undefined)) {
		const message = `The service did not return the '${label}' of the instance, so it can't be kept`;
		throw cannotKeep(settable, message);
	}
	if (value === null) return empty === null ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	const what = describeValue(value);
	const message = `The service returned '${label}' in a format that can't be sent back: ${what}`;
	throw cannotKeep(settable, message);
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
): Value {
	const { key, edit } = settable;
	const [first, ...others] = changes.filter((change) => change.key === key);
	if (first === undefined) return isKept(key) ? currentValue(current, settable) : undefined;
	if ('valueAt' in first) return first.valueAt(baseUrl);
	const edits = [first, ...others.filter(isListEdit)];
	const list = edit?.([currentValue(current, settable) ?? []].flat(), {
		add: edits.flatMap(({ add }) => add),
		removes: (entry) => edits.some(({ removes }) => removes(entry)),
	});
	return list && [...new Map(list.map((entry) => [JSON.stringify(entry), entry])).values()];
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
	const values = SETTABLE.map((field) => [field.key, valueFor(field, changes, surroundings)]);
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
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
	const rejected = named.find(({ key }) => Object.hasOwn(body, key));
	const isEntered = ({ key }: Settable) =>
		changes.some(
			(change) => change.key === key && (isListEdit(change) || Object.hasOwn(body, key)),
		);
	if (rejected === undefined || named.some(isEntered)) return undefined;
	const { key, label, adviceOnKept } = rejected;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	const advice =
		adviceOnKept ?? "Set it under 'Fields to Update', or clear it with 'Fields to Clear'.";
	return `Update sent the current '${label}' (${value}) back unchanged, and the service rejected it. ${advice}`;
}
