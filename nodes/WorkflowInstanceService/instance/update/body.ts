import type { GenericValue, IDataObject } from 'n8n-workflow';

import { NOTHING_CHANGED } from '../../api/errors';
import { describeValue, shortened, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import type { Changes } from './changes';
import { SETTABLE } from './fields';
import { edited, type SettableField } from './settableField';

const LONGEST_QUOTE = 80;

const isText = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * The current value exactly as it was read; undefined when the instance has none.
 *
 * @throws UserFacingError when the service did not return it, or in a form that cannot be sent back
 */
function currentValue(instance: IDataObject, field: SettableField): GenericValue {
	const { key, keep = isText, empty } = field;
	const { [key]: value } = instance;
	const label = INSTANCE_FIELDS[key];
	const cannotKeep = (message: string) => {
		const verb = empty === undefined ? 'Set' : 'Set or clear';
		const advice = `${verb} '${label}' in this node, so that its current value isn't needed.`;
		return new UserFacingError(message, `${advice} ${NOTHING_CHANGED}`);
	};
	if (value === undefined || (value === null && empty === undefined)) {
		throw cannotKeep(
			`The service did not return the '${label}' of the instance, so it can't be kept`,
		);
	}
	if (value === null) return empty === null ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	const what = describeValue(value);
	throw cannotKeep(`The service returned '${label}' in a format that can't be sent back: ${what}`);
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read.
 *
 * @param keepsRest whether the fields that the user did not choose stay as they are
 * @param instance as it was read; empty when nothing of it is needed
 * @throws UserFacingError when a current value is needed and not known, or cannot be sent back
 */
export function buildBody(
	changes: Changes,
	keepsRest: boolean,
	instance: IDataObject,
	baseUrl: string,
): IDataObject {
	const valueOf = (field: SettableField): GenericValue => {
		const chosen = changes.get(field) ?? (keepsRest ? [] : undefined);
		if (chosen === undefined) return undefined;
		const [change] = chosen;
		if (change === undefined) return currentValue(instance, field);
		if ('value' in change) return change.value;
		if ('path' in change) return `${baseUrl}${change.path}`;
		return edited(chosen, [currentValue(instance, field) ?? []].flat());
	};
	const values = SETTABLE.map((field) => [field.key, valueOf(field)]);
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * Advice for a rejection that is about a value which the user did not enter, but which was kept.
 *
 * @param body what was sent
 * @param words what the service says
 */
export function adviceOnKeptValue(
	body: IDataObject,
	changes: Changes,
	words: string,
): string | undefined {
	const isSent = ({ key }: SettableField) => Object.hasOwn(body, key);
	const [rejected, ...others] = SETTABLE.filter(
		(field) => field.words.test(words) && isSent(field),
	);
	const isKept = (field: SettableField) => !changes.get(field)?.length;
	if (rejected === undefined || ![rejected, ...others].every(isKept)) return undefined;
	const {
		key,
		adviceOnKept = "Set it under 'Fields to Update', or clear it with 'Fields to Clear'.",
	} = rejected;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	return `Update sent the current '${INSTANCE_FIELDS[key]}' (${value}) back unchanged, and the service rejected it. ${adviceOnKept}`;
}
