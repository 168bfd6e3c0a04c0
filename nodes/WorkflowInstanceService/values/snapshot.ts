import { isObject, parseJson } from './json';

/** Something in a snapshot that has a name. */
export interface Named {
	id: number;
	name: string;
}

/** The keys under which services put names, the likeliest first. */
const NAMES = ['name', 'title', 'label'];
/** The keys of lists of steps, e.g. `steps`, `process_tasks`. */
const STEPS = /(?:step|task)s?$/i;
/** Far deeper than any process is described, and far from overflowing the stack. */
const DEEPEST = 20;

function namedIn(value: unknown): Named[] {
	if (!isObject(value)) return [];
	const { id } = value;
	const names = NAMES.map((key) => value[key]).map((each) =>
		typeof each === 'string' ? each.trim() : '',
	);
	const name = names.find((each) => each !== '');
	return name !== undefined && typeof id === 'number' && Number.isSafeInteger(id)
		? [{ id, name }]
		: [];
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
 * The steps in a process snapshot, with their names. Its layout is undocumented
 * (docs/dev/service-interface.md#undocumented): of any list whose key names steps or tasks, each object
 * with a whole number as `id` and a name.
 *
 * @param snapshot JSON text, or the parsed value; anything else contains none
 */
export function stepsIn(snapshot: unknown): Named[] {
	return stepsBelow(contentOf(snapshot), '', DEEPEST);
}

/** The name of the process itself in its snapshot; undefined when it has no name. */
export function processNameIn(snapshot: unknown, processId: number): string | undefined {
	return namedIn(contentOf(snapshot)).find(({ id }) => id === processId)?.name;
}
