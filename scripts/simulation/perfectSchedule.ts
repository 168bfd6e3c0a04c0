import { RateLimiter } from '../../sandbox/service/rateLimit';
import { type History, isHealthy, seededChance, TOO_LONG } from './histories';
import { Workers } from './service';

const FIRST = 10;
const MOST = 100;
const ATTEMPTS = 6;

/**
 * How long a scheduler would take that knows the limits and each instance, in milliseconds: nothing is
 * throttled, long outages are waited out, and what fails is retried at once, as often as the node has to.
 * Like the node, it starts with few requests at a time, and keeps the order.
 */
export function perfectTime(history: History): number {
	const { runs, failures, latency = [20, 20], burst = 0, limits = [] } = history;
	const { capacity, passing, restart, liftedAt = Infinity } = history;
	const { requestsPerMinute = 0, seed = 0 } = history;
	const byUser = requestsPerMinute > 0 ? [{ requests: requestsPerMinute, seconds: 60 }] : [];
	const limiters = [...limits, ...byUser].map((each) => new RateLimiter(each));
	// It doesn't know about a fast phase.
	const workers = capacity && new Workers({ ...capacity, fastUntil: 0 });
	const chance = seededChance(seed);
	const mean = (latency[0] + latency[1]) / 2;
	const roundTrip = burst > 0 ? Math.ceil(mean / burst) * burst : mean;
	const processes = new Set(runs.map(({ process }) => process)).size;

	const { share = 0, isOnce, from = 0, until = 0 } = passing ?? {};
	const isOutage = until > 0 && share >= 0.5;
	const attemptsOf = (): number =>
		!isOutage && chance() < share ? 1 + (isOnce ? 1 : attemptsOf()) : 1;

	const requests = runs.flatMap(({ kind, paths, startsAt = 0 }) =>
		paths.flatMap((path, index) => {
			const { status, headers, slow = 0 } = failures?.get(path) ?? {};
			const isRetried = status === 503 && headers?.['retry-after'] !== TOO_LONG;
			const isUpdate = kind === 'update' && status === undefined;
			const isBlocked = status === undefined && !isHealthy(history, kind, path);
			const several = isUpdate ? 2 : isRetried ? ATTEMPTS : 1;
			return Array.from({ length: isBlocked ? 0 : several }, (_, nth) => ({
				// Later requests of an item come after the first requests of all items.
				start: startsAt + (kind === 'delete' ? index * roundTrip : 0) + nth * 1e-3,
				takes: (1 + nth) * (roundTrip + slow),
				method: kind === 'delete' ? 'POST' : isUpdate && nth === 1 ? 'PUT' : 'GET',
				isHealthy: status === undefined,
			}));
		}),
	);

	const startTimes: number[] = [];
	let end = 0;
	for (const { start, takes, method, ...request } of requests.sort((a, b) => a.start - b.start)) {
		// While the number in flight doubles, each response lets two requests start.
		const doubled = Math.floor((startTimes.length - FIRST * processes) / 2);
		const before = startTimes[Math.max(doubled, startTimes.length - MOST * processes)] ?? -Infinity;
		let at = Math.max(start, before + roundTrip);
		for (const limiter of limiters) {
			at = Math.min(at + limiter.waitAt(at, method), Math.max(at, liftedAt));
		}
		for (const limiter of limiters) limiter.count(at, method);
		if (isOutage && at >= from) at = Math.max(at, until);
		if (restart && at + roundTrip > restart.from) at = Math.max(at, restart.until);
		const work = workers ? workers.endOf(at) - at : 0;
		for (let attempts = attemptsOf(); attempts > 0; attempts--) startTimes.push(at);
		if (request.isHealthy) end = Math.max(end, at + takes + work);
	}
	return end;
}
