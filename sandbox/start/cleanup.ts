import { killAllProcesses } from '../n8n/process';
import { onOrphaned } from '../onOrphaned';

type Closer = () => Promise<unknown>;

/** What to close at the end, however the end comes about. */
export interface Cleanup {
	/** Remembers something to close; the last one added is closed first. */
	add(closer: Closer): void;
	/** Closes everything, and ends every process that is left. Later calls wait for the first one. */
	run(): Promise<void>;
	/** True from the first call of `run` on. */
	begun(): boolean;
}

export function createCleanup(): Cleanup {
	const closers: Closer[] = [];
	let running: Promise<void> | undefined;
	const closeAll = async () => {
		for (const close of closers.reverse()) await Promise.allSettled([close()]);
		await killAllProcesses();
	};
	return {
		add: (closer) => closers.push(closer),
		async run() {
			running ??= closeAll();
			await running;
		},
		begun: () => running !== undefined,
	};
}

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** npm forwards Ctrl-C to its script, which then receives it twice in quick succession. */
const repeatedWithinMs = 1_000;

/**
 * Shuts this process down cleanly on Ctrl-C and the like, and when npm has ended. A second Ctrl-C
 * ends everything immediately.
 */
export function exitOnSignals(cleanup: Cleanup): void {
	let firstAt: number | undefined;
	const stop = (exitCode: number) => {
		firstAt = Date.now();
		process.stdout.write('\nStopping …\n');
		void cleanup.run().finally(() => process.exit(exitCode));
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (firstAt === undefined) stop(exitCodes[signal]);
			else if (Date.now() - firstAt > repeatedWithinMs) process.exit(exitCodes[signal]);
		});
	}
	onOrphaned(() => {
		if (firstAt === undefined) stop(exitCodes.SIGTERM);
	});
}

/**
 * The result of `work`. While everything is being stopped, failures are a consequence of that and
 * aren't reported.
 */
export async function unlessStopping<T>(cleanup: Cleanup, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!cleanup.begun()) throw error;
		return await new Promise<never>(() => {});
	}
}
