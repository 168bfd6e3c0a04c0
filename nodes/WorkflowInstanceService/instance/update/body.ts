import type { GenericValue, IDataObject } from 'n8n-workflow';

import { withoutUndefined } from '../../values/json';
import { isEmpty, shortened } from '../../values/text';
import { UserFacingError } from '../../values/userFacingError';
import { type Changes, clearFields, leaveOutRejectedNames, UPDATE_FIELDS_LABEL } from './changes';
import type { UpdateField } from './updateField';
import { FIELDS, nameField, processField } from './fields';

/** So that nobody, least of all an AI model, follows the advice just to get rid of the error. */
const IS_LOST = 'The current value will be lost.';

function textOnly(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** A returned value, ready to be sent back; undefined if it, or an entry of its list, can't be. */
function sendable({ clear, toSendable = textOnly }: UpdateField, value: unknown): GenericValue {
	if (value === null && clear) return clear.value;
	if (!Array.isArray(clear?.value)) return toSendable(value);
	const entries = Array.isArray(value) ? value.map(toSendable) : [undefined];
	return entries.includes(undefined) ? undefined : entries;
}

function kept(field: UpdateField, instance: IDataObject): GenericValue {
	const returned = instance[field.key];
	const value = sendable(field, returned);
	if (value !== undefined) return value;
	const { form, label, clear } = field;
	throw new UserFacingError(
		returned === undefined || returned === null
			? `The service did not return the '${label}' of the instance, so the current value can't be kept`
			: `The service returned '${label}' in a format that can't be sent back: ${shortened(JSON.stringify(returned))}`,
		'',
		{
			builderAdvice: `To replace it, set '${form.displayName}'${clear ? ` or clear '${label}'` : ''} in this node. ${IS_LOST}`,
		},
	);
}

/** When an instance was last changed, in milliseconds since 1970; NaN if unknown, which is neither earlier nor later. */
const timeOf = ({ last_updated_time: time }: IDataObject) => Date.parse(String(time));

/** What was read, or what this run of the node has written since then: a replica may lag behind. */
export function newest(read: IDataObject, written: IDataObject | undefined): IDataObject {
	const isStale = written !== undefined && timeOf(read) < timeOf(written);
	// A copy, since later nodes may change what is returned.
	return isStale ? { ...read, ...structuredClone(written) } : read;
}

/** The body of an update: what the user set or cleared, and the rest as it was read. */
export function bodyOf(changes: Changes, instance: IDataObject): IDataObject {
	const body: IDataObject = {};
	const processChange = changes.get(processField);
	// The snapshot doesn't show the steps of another process.
	const isMoved =
		processChange &&
		'value' in processChange &&
		!isSame(processField, instance.process, processChange.value);
	const edited = isMoved ? { ...instance, process_snapshot: null } : instance;
	for (const field of FIELDS) {
		const change = changes.get(field);
		if (change === undefined) body[field.key] = kept(field, instance);
		else if ('value' in change) body[field.key] = change.value;
		else body[field.key] = change.edit([kept(field, instance)].flat(), edited);
	}
	// A copy, since the value that clears a list is shared, and later nodes may change what a dry run returns.
	return structuredClone(withoutUndefined(body));
}

/** Null, empty text and an empty list count as equal. */
function comparisonKey(field: UpdateField, value: GenericValue): string {
	return isEmpty(value) ? '[]' : JSON.stringify(field.compareAs?.(value) ?? value);
}

/** Whether a returned value means the same as one that is sent. */
function isSame(field: UpdateField, returned: unknown, sent: GenericValue): boolean {
	const current = sendable(field, returned);
	return current !== undefined && comparisonKey(field, current) === comparisonKey(field, sent);
}

/** What a dry run lists for an update: `{ <field>: { from, to } }` for each field that would change. */
export function previewOf(changes: Changes, instance: IDataObject): IDataObject {
	// What can't be kept matters only to an update.
	if (changes.size === 0) return {};
	const body = bodyOf(changes, instance);
	const differences: IDataObject = {};
	for (const field of changes.keys()) {
		const { [field.key]: from = null } = instance;
		const { [field.key]: to = null } = body;
		if (!isSame(field, from, to)) differences[field.key] = { from, to };
	}
	return differences;
}

/** The first field whose value the service rejected, according to the keys of its JSON. */
export function rejectedField({ kind, rejectedKeys }: UserFacingError): UpdateField | undefined {
	return kind === 'rejected' ? FIELDS.find(({ key }) => rejectedKeys.includes(key)) : undefined;
}

/** Adds what to do about the value that the service rejected. */
export function withAdvice(error: UserFacingError, changes: Changes, body: IDataObject) {
	const field = rejectedField(error);
	if (field === undefined) return error;
	const { clear, form, key, label } = field;
	const isKept = !changes.has(field);
	const remove = isKept ? '' : `remove '${label}' from this node, and `;
	const onName = `If the process generates instance names, ${remove}add '${leaveOutRejectedNames.displayName}' under 'Options'.`;
	const isName = field === nameField;
	if (!isKept) return error.with({ builderAdvice: isName ? onName : '' });
	const sent = JSON.stringify(body[key]);
	const canClear = clear && sent !== JSON.stringify(clear.value);
	const orClear = canClear ? `, or clear it with '${clearFields.displayName}'` : '';
	const set = isName ? `${onName} Otherwise, set` : 'Set';
	return error.with({
		advice: `Update sent the current '${label}' (${shortened(sent)}) back unchanged, and the service rejected it.`,
		builderAdvice: `${set} '${form.displayName}' under '${UPDATE_FIELDS_LABEL}'${orClear}. ${IS_LOST}`,
	});
}
