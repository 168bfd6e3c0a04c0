import { plainId } from './ids';
import { asObject, parseJson } from './json';
import { isEmpty } from './text';

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`, `task_list`. */
const STEPS = /(?:step|task)s?(?:_?list)?$/i;

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

/** The entries of lists of steps in a snapshot of any layout (docs/dev/service-interface.md#undocumented). */
function stepEntriesIn(snapshot: unknown): unknown[] {
	const entries: unknown[] = [];
	// Visits all values with their keys, however they are nested.
	JSON.stringify(contentOf(snapshot), (key, value: unknown) => {
		if (Array.isArray(value) && STEPS.test(key)) for (const each of value) entries.push(each);
		return value;
	});
	return entries;
}

/** The names of steps by their IDs. */
export function stepNamesIn(snapshot: unknown): Map<number, string> {
	return new Map(stepEntriesIn(snapshot).flatMap(namedIn));
}

/** The IDs of steps, even of those without names. */
export function stepIdsIn(snapshot: unknown): Set<number> {
	return new Set(stepEntriesIn(snapshot).flatMap((each) => plainId(asObject(each).id) ?? []));
}

/** The name of the process itself in its snapshot; undefined when it has no name. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return new Map(namedIn(contentOf(snapshot))).get(processId);
}
