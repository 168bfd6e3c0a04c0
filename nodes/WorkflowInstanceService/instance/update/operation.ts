import type { GenericValue, IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import { NOTHING_CHANGED } from '../../api/errors';
import { forEachItem } from '../../n8n/forEachItem';
import { chosenOption, optionsOf } from '../../n8n/parameters';
import { parseLocator } from '../../values/ids';
import { defined } from '../../values/json';
import { describeValue, isEmpty, shortened, UserFacingError } from '../../values/userFacingError';
import { INSTANCE_FIELDS } from '../fields';
import { INSTANCE, instanceId } from '../locators';
import { outputChoice, toOutput } from '../output';
import { instanceIn, readInstance, readRequest } from '../readInstance';
import { type Changes, readChanges } from './changes';
import { unsetFields } from './description';
import { SETTABLE } from './fields';
import { edited, type SettableField } from './settableField';

const LONGEST_QUOTE = 80;
const SET_OR_CLEAR = "Set it under 'Fields to Update', or clear it with 'Fields to Clear'.";

const isText = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * The current value exactly as it was read; undefined when the instance has none.
 *
 * @throws UserFacingError when the service did not return it, or in a form that cannot be sent back
 */
function currentValue(instance: IDataObject, { key, keep = isText, empty }: SettableField) {
	const { [key]: value } = instance;
	if (value === null && empty !== undefined) return empty === null ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	const label = INSTANCE_FIELDS[key];
	const verb = empty === undefined ? 'Set' : 'Set or clear';
	throw new UserFacingError(
		isEmpty(value)
			? `The service did not return the '${label}' of the instance, so it can't be kept`
			: `The service returned '${label}' in a format that can't be sent back: ${describeValue(value)}`,
		`${verb} '${label}' in this node, so that its current value isn't needed. ${NOTHING_CHANGED}`,
	);
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read.
 *
 * @param keepsRest whether the fields that the user did not choose stay as they are
 * @param instance as it was read; empty when nothing of it is needed
 * @throws UserFacingError when a current value is needed and not known, or cannot be sent back
 */
function buildBody(
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
	return defined(Object.fromEntries(SETTABLE.map((field) => [field.key, valueOf(field)])));
}

/**
 * Advice for a rejection that is about a value which the user did not enter, but which was kept.
 *
 * @param body what was sent
 * @param words what the service says
 */
function adviceOnKeptValue(body: IDataObject, changes: Changes, words: string): string | undefined {
	const named = SETTABLE.filter((field) => field.words.test(words) && field.key in body);
	const [rejected] = named;
	if (rejected === undefined || named.some((field) => changes.get(field)?.length)) return undefined;
	const { key, adviceOnKept = SET_OR_CLEAR } = rejected;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	return `Update sent the current '${INSTANCE_FIELDS[key]}' (${value}) back unchanged, and the service rejected it. ${adviceOnKept}`;
}

/** PUT replaces everything, so what is to stay is read first (docs/dev/service-interface.md#update). */
export const update = forEachItem({
	readsOnly: false,

	prepare(parameters, { isTool }) {
		const { unsetFields: rest = 'keep' } = optionsOf(parameters);
		const keepsRest = chosenOption(rest, unsetFields.displayName, ['keep', 'reset']) === 'keep';
		const id = parseLocator(parameters.get(instanceId), INSTANCE);
		const changes = readChanges(parameters, isTool);
		if (!keepsRest && ![...changes.keys()].some(({ key }) => key === 'process')) {
			throw new UserFacingError(
				"'Process' is required when 'Other Fields' is set to Reset",
				"Add 'Process' under 'Fields to Update' and choose the process of the instance. Or set 'Other Fields' to Keep.",
			);
		}
		if (changes.size === 0) {
			throw new UserFacingError(
				'There is nothing to update',
				"Add a field under 'Fields to Update', or choose one in 'Fields to Clear'.",
			);
		}
		return { id, changes, keepsRest, output: outputChoice(parameters) };
	},

	async perform({ id, changes, keepsRest, output }, service) {
		const chosen = [...changes.values()];
		if (chosen.flat().length === 0) {
			const { instance } = await readInstance(service, id);
			return toOutput(instance, output);
		}
		const needsCurrent =
			keepsRest || chosen.some(([change]) => change === undefined || 'edit' in change);
		const put = (current: IDataObject): ApiRequest => {
			const body = buildBody(changes, keepsRest, current, service.baseUrl);
			const adviceOn = (words: string) => adviceOnKeptValue(body, changes, words);
			const path = `/instances/${id}/`;
			return { method: 'PUT', path, body, subject: `instance ${id}`, adviceOn };
		};
		const response = needsCurrent
			? await service.readThenWrite(readRequest(id), (read) => put(instanceIn(read, id, false)))
			: await service.send(put({}));
		// What success looks like is not known (docs/dev/service-interface.md#undocumented).
		if (response.text.trim() === '') return { id, updated: true };
		return toOutput(instanceIn(response, id, true), output);
	},
});
