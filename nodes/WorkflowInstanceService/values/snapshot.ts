import { isObject, parseJson } from './json';
import { isEmpty } from './userFacingError';

/** Something in a snapshot that has a name. */
export interface Named {
	id: number;
	name: string;
}

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`. */
const STEPS = /(?:step|task)s?$/i;
/** Far deeper than any process is described; a list that is never shown is better than a stack that overflows. */
const DEEPEST = 20;

function namedIn(value: unknown): Named[] {
	if (!isObject(value)) return [];
	const { id } = value;
	const name = NAMES.map((key) => value[key]).find(
		(each): each is string => typeof each === 'string' && !isEmpty(each),
	);
	if (name === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return [];
	return [{ id, name: name.trim() }];
}

function stepsBelow(value: unknown, key: string, depth: number): Named[] {
	if (depth === 0 || typeof value !== 'object' || value === null) return [];
	const own = Array.isArray(value) && STEPS.test(key) ? value.flatMap(namedIn) : [];
	const inner = Object.entries(value).flatMap(([name, each]) => stepsBelow(each, name, depth - 1));
	return [...own, ...inner];
}

const contentOf = (snapshot: unknown): unknown =>
	typeof snapshot === 'string' ? parseJson(snapshot) : snapshot;

/**
 * The steps that a process snapshot shows with their names. Its layout is not known
 * (docs/service-interface.md#not-shown): any list counts whose key says steps or tasks, and of it any
 * object that has a whole number as `id`, and a name.
 *
 * @param snapshot JSON text, or what was parsed of it; anything else shows nothing
 */
export function stepsIn(snapshot: unknown): Named[] {
	return stepsBelow(contentOf(snapshot), '', DEEPEST);
}

/** The name that a process snapshot shows for the process itself; undefined when it shows none. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return namedIn(contentOf(snapshot)).find(({ id }) => id === processId)?.name;
}
