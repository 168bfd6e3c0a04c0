import { SimulatedClock } from './clock';
import { type History, historyOf, isHealthy, type Mixture, type Run } from './histories';
import { SimulatedProcess } from './process';
import { perfectTime } from './perfectSchedule';
import { SimulatedService } from './service';

const MINUTE_MS = 60_000;

/** What came of a history. */
export interface Outcome {
	seed: number;
	items: number;
	/** How many healthy items were given up. */
	lost: number;
	/** How many healthy items were refused, since nothing got through for as long as Max Wait. */
	refused: number;
	/** When the last healthy one came out, in milliseconds. */
	time: number;
	/** When it would have with a perfect scheduler, in milliseconds. */
	perfect: number;
	/** When all runs had ended, in milliseconds. */
	end: number;
	requests: number;
	/** The share of requests that the limit rejected. */
	rejected: number;
	/** The most polls in a row that read nothing. */
	emptyPolls: number;
	errors: string[];
	/** When each run had ended, in milliseconds. */
	ends: number[];
}

/** Lets the runs of a history do what they do, by the node's client, on a clock of its own. */
export async function simulate(history: History): Promise<Outcome> {
	const { seed, runs, illnesses, polled } = history;
	const clock = new SimulatedClock(seed);
	const service = new SimulatedService(history, clock);
	const processes = new Map<number, SimulatedProcess>();
	const processOf = (worker: number) => {
		const process =
			processes.get(worker) ?? new SimulatedProcess(clock, service, history.requestsPerMinute);
		processes.set(worker, process);
		return process;
	};
	const outcome = {
		seed,
		lost: 0,
		refused: 0,
		time: 0,
		emptyPolls: 0,
		errors: [] as string[],
		ends: [] as number[],
	};
	const carryOut = async ({ kind, worker, paths, startsAt }: Run, index: number) => {
		await clock.sleep(startsAt);
		const run = processOf(worker).join();
		const note = async (path: string) => {
			const error = await run[kind](path).then(
				() => undefined,
				(cause: Error) => cause,
			);
			if (!isHealthy(illnesses.get(path))) return;
			outcome.time = clock.now();
			if (error === undefined) return;
			if (error.message.includes('was not sent')) outcome.refused++;
			else outcome.lost++;
			if (outcome.errors.length < 3) outcome.errors.push(`${path} ${clock.now()} ${error.message}`);
		};
		await Promise.all(paths.map(note));
		run.leave();
		outcome.ends[index] = clock.now();
	};
	let isOver = false;
	const poll = async () => {
		let empty = 0;
		while (!isOver && polled.length > 0) {
			await clock.sleep(MINUTE_MS);
			const run = processOf(0).join();
			let found = 0;
			const reads = Promise.allSettled(
				polled.map(async (path) => await run.get(path).then(() => found++)),
			);
			await Promise.race([reads, clock.sleep(MINUTE_MS / 2)]);
			run.leave();
			empty = found > 0 || isOver ? 0 : empty + 1;
			outcome.emptyPolls = Math.max(outcome.emptyPolls, empty);
		}
	};
	void poll();
	const perfect = perfectTime(history);
	let isDone = false;
	const work = Promise.all(runs.map(carryOut)).then(() => (isDone = true));
	await clock.run(work, 100 * perfect + 10_800_000);
	if (!isDone) outcome.time = Infinity;
	isOver = true;
	const items = runs.flatMap(({ paths }) => paths).length;
	return {
		...outcome,
		items,
		perfect,
		end: clock.now(),
		requests: service.requests,
		rejected: service.rejected / service.requests,
	};
}

/** What comes of histories of a mixture, those with the seeds 0, 1, 2 and so on. */
export async function simulateMixture(mixture: Mixture, histories: number): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	while (outcomes.length < histories) {
		outcomes.push(await simulate(historyOf(mixture, outcomes.length)));
	}
	return outcomes;
}

/** How many times the time of a perfect scheduler it took. */
export const ratioOf = ({ time, perfect }: Outcome): number => (perfect === 0 ? 1 : time / perfect);

/** Whether it took more than twice the time of a perfect scheduler, and five seconds. */
export const isSlow = ({ time, perfect }: Outcome): boolean => time > 2 * perfect + 5_000;

/** The value in the middle. */
export const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
