import type { GenericValue, IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import { NOTHING_CHANGED } from '../../api/errors';
import { asObject, defined, isObject } from '../../values/json';
import { describeValue, isEmpty, shortened, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import type { Change, Changes, ListEdit, SettableField } from './fields';

const LONGEST_QUOTE = 80;
const SET_OR_CLEAR = "Set it under 'Fields to Update', or clear it with 'Fields to Clear'.";

const isText = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The current value exactly as it was read, if it can be sent back; undefined when the instance has none. */
function currentValue(
	instance: IDataObject,
	{ key, keep = isText, empty }: SettableField,
): GenericValue {
	const { [key]: value } = instance;
	if (value === null && empty !== undefined) return empty === null ? null : undefined;
	const isList = Array.isArray(empty);
	const entries = [value].flat().map(keep);
	if (Array.isArray(value) === isList && !entries.includes(undefined)) {
		return isList ? entries : entries[0];
	}
	const label = INSTANCE_FIELDS[key];
	throw new UserFacingError(
		isEmpty(value)
			? `The service did not return the '${label}' of the instance, so it can't be kept`
			: `The service returned '${label}' in a format that can't be sent back: ${describeValue(value)}`,
		`Set${empty === undefined ? '' : ' or clear'} '${label}' in this node, so that its current value isn't needed. ${NOTHING_CHANGED}`,
	);
}

function matches(entry: unknown, selected: unknown): boolean {
	// Tags are sent without the blanks that Get may show.
	if (!isObject(selected)) return typeof entry === 'string' && entry.trim() === selected;
	const keys = Object.entries(defined(selected));
	return keys.every(([key, value]) => asObject(entry)[key] === value);
}

/** The next list. Who is added to a step takes the place of who is removed from it. */
function edited({ adds, removes }: ListEdit, current: unknown[]): unknown[] {
	const successors = (entry: unknown) =>
		adds.filter((each) => isObject(each) && each.step_id === asObject(entry).step_id);
	const next = [...current, ...adds].flatMap((entry) =>
		removes.some((selected) => matches(entry, selected)) ? successors(entry) : [entry],
	);
	const isSame = (one: unknown) => (other: unknown) =>
		JSON.stringify(one) === JSON.stringify(other);
	// What the user did not name stays as it is, even where it repeats.
	return next.filter(
		(entry, index) => !adds.some(isSame(entry)) || next.findIndex(isSame(entry)) === index,
	);
}

/** The request that sends what the user set or cleared, and the rest as it was read. */
export function updateRequest(
	id: number,
	changes: Changes,
	instance: IDataObject,
	baseUrl: string,
): ApiRequest {
	const nextOf = (field: SettableField, change: Change | 'kept'): GenericValue => {
		if (change === 'kept') return currentValue(instance, field);
		if ('value' in change) return change.value;
		if ('path' in change) return `${baseUrl}${change.path}`;
		return edited(change, [currentValue(instance, field) ?? []].flat());
	};
	const next: IDataObject = {};
	for (const [field, change] of changes) next[field.key] = nextOf(field, change);
	const body = defined(next);
	const adviceOn = (words: string, keys: readonly string[]) => {
		const sent = [...changes].filter(([field]) => field.key in body);
		const byKey = sent.filter(([field]) => keys.includes(field.key));
		const named = byKey.length > 0 ? byKey : sent.filter(([field]) => field.words.test(words));
		const [rejected] = named;
		// Of several fields that the words name, nobody knows which one is meant.
		const isUnclear = byKey.length === 0 && named.length > 1;
		if (rejected === undefined || isUnclear) return undefined;
		if (named.some(([, change]) => change !== 'kept')) return undefined;
		const [{ key, adviceOnKept = SET_OR_CLEAR }] = rejected;
		const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
		return `Update sent the current '${INSTANCE_FIELDS[key]}' (${value}) back unchanged, and the service rejected it. ${adviceOnKept}`;
	};
	return { method: 'PUT', path: `/instances/${id}/`, body, subject: `instance ${id}`, adviceOn };
}
