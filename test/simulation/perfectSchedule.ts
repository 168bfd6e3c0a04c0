import {
	FIRST_LIMIT,
	HIGHEST_LIMIT,
} from '../../nodes/WorkflowInstanceService/api/pace/adaptiveLimit';
import { type History, type Illness, TOO_LONG } from './histories';
import { RateLimit } from './service';

/** Tries of an instance: if it is sick, the first and the default of Max Retries, unless the first ends it. */
const triesOf = (illness?: Illness): number =>
	illness === undefined || illness.status === 'hangs' || illness.retryAfter === TOO_LONG ? 1 : 5;

/**
 * How long a scheduler would take that knows the limit and each instance: nothing is pushed back, and
 * sick instances are tried as often as the node has to. It begins as the node does, with few at a time.
 *
 * @returns in milliseconds
 */
export function perfectTime({ runs, sick, latency, limit: known }: History): number {
	const limit = new RateLimit(known);
	const latencyOfOne = (latency[0] + latency[1]) / 2;
	const workers = new Set(runs.map(({ worker }) => worker)).size;
	const [first, most] = [FIRST_LIMIT * workers, HIGHEST_LIMIT * workers];
	const starts = runs.flatMap(({ paths, startsAt }) =>
		paths.flatMap((path) => Array<number>(triesOf(sick.get(path))).fill(startsAt)),
	);
	const begun: number[] = [];
	for (const start of starts.sort((a, b) => a - b)) {
		// What doubles sends two requests for each response.
		const waitsFor = Math.max(Math.floor((begun.length - first) / 2), begun.length - most);
		const at = Math.max(start, (begun[waitsFor] ?? -Infinity) + latencyOfOne);
		begun.push(at + limit.waitAt(at));
		limit.admit(at + limit.waitAt(at));
	}
	return (begun.at(-1) ?? 0) + latencyOfOne;
}
