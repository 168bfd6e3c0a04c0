import { RateLimiter } from '../../sandbox/service/rateLimit';
import { type History, TOO_LONG } from './histories';

const FIRST = 10;
const MOST = 100;
const ATTEMPTS = 6;

/**
 * How long a scheduler takes that knows the limit and each instance, in milliseconds: nothing is
 * throttled, and unavailable instances are tried as often as the node has to. It begins as the node
 * does, with few at a time, and keeps the order.
 */
export function perfectTime(history: History): number {
	const { runs, failures, latency = [20, 20], burst = 0, limit, requestsPerMinute = 0 } = history;
	const byUser = requestsPerMinute > 0 ? [{ requests: requestsPerMinute, seconds: 60 }] : [];
	const limiters = [...(limit ? [limit] : []), ...byUser].map((each) => new RateLimiter(each));
	const mean = (latency[0] + latency[1]) / 2;
	const roundTrip = burst > 0 ? Math.ceil(mean / burst) * burst : mean;
	const processes = new Set(runs.map(({ process }) => process)).size;

	const requests = runs.flatMap(({ kind, paths, startsAt = 0 }) =>
		paths.flatMap((path, index) => {
			const { status, headers, slow = 0 } = failures?.get(path) ?? {};
			const isTriedAgain = status === 503 && headers?.['retry-after'] !== TOO_LONG;
			const isUpdate = kind === 'update' && status === undefined;
			const attempts = isTriedAgain ? ATTEMPTS : 1;
			const length = isUpdate ? 2 : attempts;
			const start = startsAt + (kind === 'delete' ? index * roundTrip : 0);
			return Array.from({ length }, (_, nth) => ({
				// What comes after a first request comes after all first requests.
				start: start + nth * 1e-3,
				takes: (1 + nth) * (roundTrip + slow),
				method: kind === 'delete' || (isUpdate && nth === 1) ? 'PUT' : 'GET',
				isHealthy: status === undefined,
			}));
		}),
	);

	const begun: number[] = [];
	let end = 0;
	for (const { start, takes, method, isHealthy } of requests.sort((a, b) => a.start - b.start)) {
		// What doubles sends two requests for each response.
		const doubled = Math.floor((begun.length - FIRST * processes) / 2);
		const before = begun[Math.max(doubled, begun.length - MOST * processes)] ?? -Infinity;
		let at = Math.max(start, before + roundTrip);
		for (const limiter of limiters) at += limiter.waitAt(at, method);
		for (const limiter of limiters) limiter.count(at, method);
		begun.push(at);
		if (isHealthy) end = Math.max(end, at + takes);
	}
	return end;
}
