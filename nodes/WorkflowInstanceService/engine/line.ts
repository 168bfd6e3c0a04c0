const lastOf = new Map<string, Promise<void>>();

/**
 * Runs a task as soon as all earlier ones with the same key have ended, in the order of the calls.
 *
 * The service knows no change of a part, so that an update reads the rest and sends it back: another
 * update of the same instance in between, from this run or from another one, would be undone.
 */
export async function inLine<T>(key: string, task: () => Promise<T>): Promise<T> {
	const result = (lastOf.get(key) ?? Promise.resolve()).then(task);
	const ended = result.then(
		() => undefined,
		() => undefined,
	);
	lastOf.set(key, ended);
	try {
		return await result;
	} finally {
		if (lastOf.get(key) === ended) lastOf.delete(key);
	}
}
