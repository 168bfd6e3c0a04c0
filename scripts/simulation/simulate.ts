import { VirtualClock } from '../../test/harness/virtualClock';
import { type History, type Run, seededChance } from './histories';
import { perfectTime } from './perfectSchedule';
import { SimulatedProcess } from './process';
import { SimulatedService } from './service';

/** Lets the runs of a history do what they do, by the node's client, on a clock of its own. */
export async function simulate(history: History) {
	const { runs, failures = new Map<string, never>(), requestsPerMinute, seed = 0 } = history;
	const clock = new VirtualClock({ start: 0, chance: seededChance(seed), quietTurns: 1 });
	const replyTo = ({ path }: { path: string }) => failures.get(path) ?? {};
	const service = new SimulatedService(clock, { replyTo, ...history });
	/** By path: why it was given up, and when it was done, in milliseconds. */
	const errors = new Map<string, string>();
	const doneAt = new Map<string, number>();

	const carryOut = async ({ kind, paths, startsAt = 0 }: Run, process: SimulatedProcess) => {
		await clock.sleep(startsAt);
		const run = process.join();
		const work = paths.map(async (path) => {
			await run[kind](path).catch((error: Error) => errors.set(path, error.message));
			doneAt.set(path, clock.now());
		});
		await Promise.all(work);
		run.leave();
	};
	const work = [0, 1].flatMap((number) => {
		const process = new SimulatedProcess(clock, service, requestsPerMinute);
		const own = runs.filter((run) => (run.process ?? 0) === number);
		return own.map((run) => carryOut(run, process));
	});
	const perfect = perfectTime(history);
	await Promise.race([Promise.all(work), clock.sleep(100 * perfect + 10_800_000)]);
	clock.stop();

	const paths = runs.flatMap((run) => run.paths);
	const healthy = paths.filter((path) => failures.get(path)?.status === undefined);
	/** When the last of these paths was done, in milliseconds; Infinity if it never was. */
	const lastOf = (some: string[]) =>
		Math.max(0, ...some.map((path) => doneAt.get(path) ?? Infinity));
	const time = lastOf(healthy);
	return {
		items: paths.length,
		/** How many healthy ones were given up. */
		lost: healthy.filter((path) => errors.has(path)).length,
		/** When the last healthy one was done, and when a perfect scheduler is, in milliseconds. */
		time,
		perfect,
		isLate: time > 2 * perfect + 5_000,
		/** When all was done, in milliseconds; Infinity if it never was. */
		end: lastOf(paths),
		requests: service.log.length,
		throttled: service.throttled,
		errors,
		lastOf,
		log: service.log,
	};
}

/** The value in the middle. */
export const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
