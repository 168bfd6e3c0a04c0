export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Does a step that takes a while: says so before, and how long it took after. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	say(`… ${title}`);
	const result = await work();
	say(`✔ ${title}: ${Math.round((Date.now() - started) / 1_000)} s`);
	return result;
}
