import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import { ConcurrencyLimiter } from '../../nodes/WorkflowInstanceService/api/pace/concurrencyLimiter';
import { VirtualClock } from '../harness/virtualClock';
import { type History, historyOf, type Kind, seededChance } from './histories';
import { perfectTime } from './perfectSchedule';
import { SimulatedService } from './service';

const DEFAULTS = { maxRetries: 4, maxConcurrentRequests: 100, maxWait: 300_000 };

/** What came of a history. */
export interface Outcome {
	seed: number;
	/** How many instances that are not sick were given up. */
	lost: number;
	/** When the last of them came out, in milliseconds. */
	time: number;
	/** When it would have with a perfect scheduler, in milliseconds. */
	perfect: number;
	/** How many requests there were for each item. */
	requests: number;
}

/** Lets the runs of a history read what they read, by the node's client, on a clock of its own. */
export async function simulate(history: History): Promise<Outcome> {
	const { seed, runs, sick } = history;
	const clock = new VirtualClock({ start: 0, luck: seededChance(seed), quietTurns: 1 });
	const service = new SimulatedService(history, clock);
	const transport = service.respond.bind(service);
	const limiters = new Map<number, ConcurrencyLimiter>();
	const outcome = { seed, lost: 0, time: 0 };
	const read = async ({ worker, paths, startsAt }: History['runs'][number]) => {
		await clock.sleep(startsAt);
		const forget = () => limiters.delete(worker);
		const limiter = limiters.get(worker) ?? new ConcurrencyLimiter(clock, forget);
		limiters.set(worker, limiter);
		const line = limiter.join();
		const client = createApiClient('http://x', transport, line, { continues: true }, clock);
		const reading = paths.map(async (path) => {
			const sent = client.send({ method: 'GET', path, subject: 'an instance' }, DEFAULTS);
			const isRead = await sent.then(() => true).catch(() => false);
			if (sick.has(path)) return;
			outcome.time = clock.now();
			if (!isRead) outcome.lost++;
		});
		await Promise.all(reading);
		line.leave();
	};
	await Promise.all(runs.map(read));
	const items = runs.flatMap(({ paths }) => paths).length;
	return { ...outcome, perfect: perfectTime(history), requests: service.requests / items };
}

/** What comes of histories of a kind, those with the seeds 0, 1, 2 and so on. */
export async function simulateKind(kind: Kind, histories: number): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	while (outcomes.length < histories) {
		outcomes.push(await simulate(historyOf(kind, outcomes.length)));
	}
	return outcomes;
}

/** How many times the time of a perfect scheduler it took. */
export const ratioOf = ({ time, perfect }: Outcome): number => time / perfect;

/** Whether it took more than twice the time of a perfect scheduler, and five seconds. */
export const isSlow = ({ time, perfect }: Outcome): boolean => time > 2 * perfect + 5_000;

/** The value in the middle. */
export const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
