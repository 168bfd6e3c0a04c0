import { seededChance, VirtualClock } from '../../test/harness/virtualClock';
import type { History, Run } from './histories';
import { perfectTime } from './perfectSchedule';
import { SimulatedProcess } from './process';
import { SimulatedService } from './service';

/** Lets the runs of a history do what they do, by the node's client. Times are in milliseconds. */
export async function simulate(history: History) {
	const { runs, failures, requestsPerMinute, seed = 0 } = history;
	const clock = new VirtualClock({ start: 0, chance: seededChance(seed), quietTurns: 1 });
	const service = new SimulatedService(clock, history);
	const givenUp = new Set<string>();
	/** By path. */
	const doneAt = new Map<string, number>();

	const process = () => new SimulatedProcess(clock, service, requestsPerMinute);
	const processes = { 0: process(), 1: process() };
	const carryOut = async ({ kind, paths, process: number = 0, startsAt = 0 }: Run) => {
		await clock.sleep(startsAt);
		const run = processes[number].join();
		const work = async (path: string) => {
			await run[kind](path).catch(() => givenUp.add(path));
			doneAt.set(path, clock.now());
		};
		if (kind === 'delete') for (const path of paths) await work(path);
		else await Promise.all(paths.map(work));
		run.leave();
	};
	const perfect = perfectTime(history);
	await Promise.race([Promise.all(runs.map(carryOut)), clock.sleep(100 * perfect + 10_800_000)]);
	clock.stop();

	const paths = runs.flatMap((run) => run.paths);
	const healthy = paths.filter((path) => failures?.get(path)?.status === undefined);
	/** When the last of some paths was done; Infinity if it never was. */
	const lastOf = (some: string[]) =>
		Math.max(0, ...some.map((path) => doneAt.get(path) ?? Infinity));
	const time = lastOf(healthy);
	return {
		items: paths.length,
		/** How many healthy ones were given up. */
		lost: healthy.filter((path) => givenUp.has(path)).length,
		/** How many times as long as with a perfect scheduler the healthy ones took. */
		ratio: perfect === 0 ? 1 : time / perfect,
		isLate: time > 2 * perfect + 5_000,
		/** When all was done; Infinity if it never was. */
		end: lastOf(paths),
		requests: service.requests,
		throttled: service.throttled,
	};
}
