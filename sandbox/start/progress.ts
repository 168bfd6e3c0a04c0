let isOver = false;

/** Writes a line. After the last one, nothing more is written while everything stops. */
export function say(text: string, isLast = false): void {
	if (!isOver) process.stdout.write(`${text}\n`);
	isOver ||= isLast;
}

/** Does a step that takes a while: announces it, then says how long it took. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	say(`… ${title}`);
	const result = await work();
	say(`✔ ${title}: ${Math.round((Date.now() - started) / 1_000)} s`);
	return result;
}

const stops: Array<() => Promise<unknown>> = [];

/** Remembers what has to be stopped at the end. */
export const atEnd = (stop: () => Promise<unknown>): void => void stops.push(stop);

/** Stops everything, the last one started first. */
export async function stopAll(): Promise<void> {
	for (const stop of stops.reverse()) await Promise.allSettled([stop()]);
}
