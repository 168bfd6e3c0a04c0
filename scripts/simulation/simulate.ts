import { createService } from '../../nodes/WorkflowInstanceService/api/service';
import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { schedulerFor } from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { readThenWrite } from '../../nodes/WorkflowInstanceService/instance/update/readThenWrite';
import { VirtualClock } from '../../test/harness/virtualClock';
import { type History, isHealthy, METHODS, type Run, seededChance } from './histories';
import { perfectTime } from './perfectSchedule';
import { simulatedService } from './service';

let simulations = 0;

/** Plays the runs of a history with the node's client. Times are in milliseconds. */
export async function simulate(history: History) {
	const { runs, limits = [], requestsPerMinute = 0, seed = 0 } = history;
	const { requests: perWindow = Infinity, seconds = 1 } = limits[0] ?? {};
	const processes = new Set(runs.map(({ process = 0 }) => process)).size;
	const clock = new VirtualClock({ start: 0, chance: seededChance(seed), quietTurns: 1 });
	const { now, elapsed, chance, sleep } = clock;
	Object.assign(systemClock, { now, elapsed, chance, sleep });
	const { transport, counts } = simulatedService(clock, history);
	const simulation = simulations++;
	const failed = new Set<string>();
	const doneAt = new Map<string, number>();

	const carryOut = async ({ kind, paths, process = 0, startsAt = 0 }: Run) => {
		await clock.sleep(startsAt);
		// Processes don't share anything.
		const scheduler = schedulerFor('http://x', `${simulation} ${process}`);
		const leaving = new AbortController();
		const client = scheduler.join(requestsPerMinute, leaving.signal);
		const api = createService({
			baseUrl: 'http://x',
			transport,
			scheduler,
			client,
			maxWait: 300_000,
		});
		const doOne = async (path: string) => {
			const request = { method: METHODS[kind], path, ids: [] };
			const read = { ...request, method: 'GET' } as const;
			const done =
				kind === 'update'
					? readThenWrite(api, read, async (_response, send) => await send(request))
					: api.send(request);
			await done.catch(() => failed.add(path));
			doneAt.set(path, clock.now());
		};
		if (kind === 'delete') for (const path of paths) await doOne(path);
		else await Promise.all(paths.map(doOne));
		leaving.abort();
	};
	const perfect = perfectTime(history);
	await Promise.race([Promise.all(runs.map(carryOut)), clock.sleep(100 * perfect + 10_800_000)]);
	clock.stop();

	const healthy = runs.flatMap(({ kind, paths }) =>
		paths.filter((path) => isHealthy(history, kind, path)),
	);
	/** When the last of these paths was done; Infinity if it never was. */
	const lastOf = (paths: string[]) =>
		Math.max(0, ...paths.map((path) => doneAt.get(path) ?? Infinity));
	const paths = runs.flatMap((run) => run.paths);
	const time = lastOf(healthy);
	return {
		items: paths.length,
		/** How many healthy items failed. */
		lost: healthy.filter((path) => failed.has(path)).length,
		/** How long the healthy items took, and how many times as long as with a perfect scheduler. */
		time,
		ratio: perfect === 0 ? 1 : time / perfect,
		isLate: time > 2 * perfect + 5_000,
		/** When everything was done; Infinity if it never was. */
		end: lastOf(paths),
		requests: counts.requests,
		throttled: counts.throttled,
		/** How many requests were in flight at once in a process, on average. */
		mostInFlight: counts.mostInFlight / processes,
		/** Whether the limit is one request per second or lower. */
		isAtSlowLimit: perWindow > 0 && perWindow <= seconds,
	};
}
