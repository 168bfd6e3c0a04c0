import { asObject, parseJson } from './json';
import { isEmpty } from './userFacingError';

interface Named {
	id: number;
	name: string;
}

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`. */
const STEPS = /(?:step|task)s?$/i;

function namedIn(value: unknown): Named[] {
	const { id, ...fields } = asObject(value);
	const name = NAMES.map((key) => fields[key]).find(
		(each): each is string => typeof each === 'string' && !isEmpty(each),
	);
	if (name === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return [];
	return [{ id, name: name.trim() }];
}

function contentOf(snapshot: unknown): unknown {
	return typeof snapshot === 'string' ? parseJson(snapshot) : snapshot;
}

/**
 * The steps in a snapshot of any layout (docs/dev/service-interface.md#undocumented): in lists whose key names
 * steps or tasks, objects with a whole number as `id` and a name.
 */
export function stepsIn(snapshot: unknown): Named[] {
	const steps: Named[] = [];
	// Visits all values with their keys, however they are nested.
	JSON.stringify(contentOf(snapshot), (key, value: unknown) => {
		if (Array.isArray(value) && STEPS.test(key)) steps.push(...value.flatMap(namedIn));
		return value;
	});
	return steps;
}

/** The name of the process itself in its snapshot; undefined when it has no name. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return namedIn(contentOf(snapshot)).find(({ id }) => id === processId)?.name;
}
