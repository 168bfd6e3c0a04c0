import type { IDataObject } from 'n8n-workflow';

import { plainId } from './ids';
import { asObject, isObject, parseJson } from './json';
import { isEmpty } from './text';

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`, `task_list`. */
export const STEPS = /(?:step|task)s?(?:_?list)?$/i;
const USERS = /(?:user|assignee)s?(?:_?list)?$/i;

/** The ID and the name of an object that has both. */
function namedIn(value: unknown): Array<[id: number, name: string]> {
	const { id, ...fields } = asObject(value);
	const name = NAMES.map((key) => fields[key]).find(
		(each): each is string => typeof each === 'string' && !isEmpty(each),
	);
	if (name === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return [];
	return [[id, name.trim()]];
}

function contentOf(snapshot: unknown): unknown {
	return typeof snapshot === 'string' ? parseJson(snapshot) : snapshot;
}

/** The names in lists by their IDs, in a snapshot of any layout (docs/dev/service-interface.md#undocumented). */
export function namesIn(snapshot: unknown, lists: RegExp): Map<number, string> {
	const names = new Map<number, string>();
	// Visits all values with their keys, however they are nested.
	JSON.stringify(contentOf(snapshot), (key, value: unknown) => {
		const named = Array.isArray(value) && lists.test(key) ? value.flatMap(namedIn) : [];
		for (const [id, name] of named) names.set(id, name);
		return value;
	});
	return names;
}

/** The IDs in a snapshot that may be those of steps, in any place and with or without a name. */
export function stepIdsIn(snapshot: unknown): Set<number> {
	const ids = new Set<number>();
	JSON.stringify(contentOf(snapshot), (key, value: unknown) => {
		const id = /^(?:step_?)?id$/i.test(key) ? plainId(value) : undefined;
		if (id !== undefined) ids.add(id);
		return USERS.test(key) ? undefined : value;
	});
	return ids;
}

/** JSON with the names of steps and users beside their IDs, as far as a snapshot shows them. */
export function withNames(json: IDataObject, snapshot: unknown): IDataObject {
	const [steps, users] = [namesIn(snapshot, STEPS), namesIn(snapshot, USERS)];
	const text = JSON.stringify(json, (_key, value: unknown) => {
		if (!isObject(value) || !Object.hasOwn(value, 'step_id')) return value;
		const { step_id: step, user_id: user } = value;
		return { ...value, stepName: steps.get(Number(step)), userName: users.get(Number(user)) };
	});
	return asObject(parseJson(text));
}

/** The name of the process itself in its snapshot; undefined when it has no name. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return new Map(namedIn(contentOf(snapshot))).get(processId);
}
