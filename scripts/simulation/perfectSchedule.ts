import { type History, type Illness, isHealthy, TOO_LONG } from './histories';
import { RateLimit } from './service';

const FIRST = 10;
const MOST = 100;
const USER_LIMIT = { kind: 'sliding', countsRejected: false, isOfWrites: false } as const;

/** Attempts for an instance: the first and the default of Max Retries where it is worth while. */
const attemptsFor = (illness?: Illness): number =>
	isHealthy(illness) || illness === 'hangs' || illness === undefined
		? 1
		: 'retryAfter' in illness && illness.retryAfter === TOO_LONG
			? 1
			: 5;

/**
 * How long a scheduler would take that knows the limit and each instance: nothing is rejected by the
 * limit, and unavailable instances are tried as often as the node has to. It begins as the node does,
 * with few at a time, and keeps the order.
 *
 * @returns in milliseconds
 */
export function perfectTime({
	runs,
	illnesses,
	latency,
	limit,
	requestsPerMinute,
}: History): number {
	const limits = [
		new RateLimit(limit),
		new RateLimit(
			requestsPerMinute > 0 ? { ...USER_LIMIT, count: requestsPerMinute, per: 60_000 } : undefined,
		),
	];
	const latencyOfOne = (latency[0] + latency[1]) / 2;
	const workers = new Set(runs.map(({ worker }) => worker)).size;
	const requests = runs
		.flatMap(({ kind, paths, startsAt }) =>
			paths.flatMap((path, index) => {
				const illness = illnesses.get(path);
				const slow = typeof illness === 'object' && 'slow' in illness ? illness.slow : 0;
				const start = startsAt + (kind === 'delete' ? index * latencyOfOne : 0);
				const perAttempt = kind === 'update' && isHealthy(illness) ? 2 : 1;
				const isWrite = kind === 'delete';
				return Array.from({ length: perAttempt * attemptsFor(illness) }, (_, nth) => ({
					start: start + nth * 1e-3,
					takes: (1 + nth) * (latencyOfOne + slow),
					isWrite: isWrite || nth === 1,
					isHealthy: isHealthy(illness),
				}));
			}),
		)
		.sort((a, b) => a.start - b.start);
	const begun: number[] = [];
	let end = 0;
	for (const { start, takes, isWrite, isHealthy: counts } of requests) {
		// What doubles sends two requests for each response.
		const waitsFor = Math.max(
			Math.floor((begun.length - FIRST * workers) / 2),
			begun.length - MOST * workers,
		);
		let at = Math.max(start, (begun[waitsFor] ?? -Infinity) + latencyOfOne);
		const held = limits.filter((_, index) => index === 1 || !limit?.isOfWrites || isWrite);
		for (const each of held) at += each.waitAt(at);
		for (const each of held) each.count(at);
		begun.push(at);
		if (counts) end = Math.max(end, at + takes);
	}
	return end;
}
