import type { GenericValue, IDataObject } from 'n8n-workflow';

import { defined } from '../../values/json';
import { describeValue, isEmpty, shortened, UserFacingError } from '../../values/userFacingError';
import { UPDATE_FIELDS_LABEL, type UpdateField } from './field';
import type { Changes } from './changes';

const LONGEST_QUOTE = 80;

/** A returned value as it can be sent back; undefined if it can't. */
function sendable({ clear, keep }: UpdateField, value: unknown): GenericValue {
	return value === null && clear ? clear.value : keep(value);
}

function kept(field: UpdateField, { [field.key]: value }: IDataObject): GenericValue {
	const sent = sendable(field, value);
	if (sent !== undefined) return sent;
	const { label, clear } = field;
	throw new UserFacingError(
		isEmpty(value)
			? `The service did not return the '${label}' of the instance, so it can't be kept`
			: `The service returned '${label}' in a format that can't be sent back: ${describeValue(value)}`,
		`Set${clear ? ' or clear' : ''} '${label}' in this node, so that its current value isn't needed.`,
	);
}

/** The body of an update: what the user set or cleared, and the rest as it was read. */
export function bodyOf(changes: Changes, instance: IDataObject): IDataObject {
	const body: IDataObject = {};
	for (const [field, change] of changes) {
		if (change === 'kept') body[field.key] = kept(field, instance);
		else if ('value' in change) body[field.key] = change.value;
		else body[field.key] = change.edit([kept(field, instance)].flat());
	}
	return defined(body);
}

/** Null, empty text and an empty list are one. */
function meaningOf(field: UpdateField, value: GenericValue): string {
	return isEmpty(value) ? '[]' : JSON.stringify(field.meaningOf?.(value) ?? value);
}

/** What an update would change: `{ <field>: { from, to } }`. */
export function changesIn(changes: Changes, instance: IDataObject): IDataObject {
	const body = bodyOf(changes, instance);
	const changed: IDataObject = {};
	for (const field of changes.keys()) {
		const { [field.key]: from = null } = instance;
		const { [field.key]: to = null } = body;
		const current = sendable(field, from);
		const isSame = current !== undefined && meaningOf(field, current) === meaningOf(field, to);
		if (!isSame) changed[field.key] = { from, to };
	}
	return changed;
}

/** The field that a rejection is about, by the keys of its JSON. By its words only if no key is a field. */
function rejectedField({ keys, words = '' }: UserFacingError, sent: readonly UpdateField[]) {
	const byKey = sent.find(({ key }) => keys.includes(key));
	const byWords = sent.filter((field) => field.words?.test(words));
	// Of several fields that the words name, nobody knows which one is meant.
	return byKey ?? (byWords.length === 1 ? byWords[0] : undefined);
}

/** Adds what to do where the service rejected a value that was kept, or one that has advice of its own. */
export function withAdvice(
	error: UserFacingError,
	changes: Changes,
	body: IDataObject,
): UserFacingError {
	if (error.kind !== 'rejected') return error;
	const sent = [...changes.keys()].filter(({ key }) => key in body);
	const field = rejectedField(error, sent);
	if (field === undefined) return error;
	const { adviceOnSet = '', clear, label } = field;
	const orClear = clear ? ", or clear it with 'Fields to Clear'" : '';
	const value = shortened(JSON.stringify(body[field.key]), LONGEST_QUOTE);
	const advice =
		changes.get(field) === 'kept'
			? `Update sent the current '${label}' (${value}) back unchanged, and the service rejected it. Set it under '${UPDATE_FIELDS_LABEL}'${orClear}. ${error.advice}`
			: `${error.advice} ${adviceOnSet}`.trim();
	return error.with({ advice });
}
