import type { RequestLimits } from '../api/apiClient';
import { RunStopped } from '../api/runStopped';
import { type DatedInstance, readDatedInstance } from '../instance/readInstance';
import { settle } from '../n8n/outputItems';
import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';

/** What became of asking for some instances. */
export interface Reads {
	found: Map<number, DatedInstance>;
	/** Those that the service did not find, or refused. */
	refused: Map<number, UserFacingError>;
	/** With which ID to go on, when there was no time to ask for all; undefined when there was. */
	next: number | undefined;
}

const REFUSED_KEY = '401';

/**
 * Asks for instances at the pace of the service, in their order, for as long as the poll may take. A
 * refused key ends it: nothing else would come of the others.
 *
 * @throws UserFacingError when there is no credential, or its base URL is unusable
 */
export async function readInstances(
	ids: number[],
	run: PollRun,
	limits: RequestLimits,
): Promise<Reads> {
	const client = await run.connection.open();
	const reads: Reads = { found: new Map(), refused: new Map(), next: undefined };
	const settled = new Set<number>();
	const service = {
		send: async (request: Parameters<typeof client.send>[0]) => await client.send(request, limits),
	};
	const ask = async (id: number) => {
		const outcome = await settle(readDatedInstance(service, id));
		if (outcome instanceof RunStopped) return;
		settled.add(id);
		if (!(outcome instanceof UserFacingError)) {
			reads.found.set(id, outcome);
			return;
		}
		reads.refused.set(id, outcome);
		if (outcome.httpCode === REFUSED_KEY) run.connection.stop();
	};
	await run.inTime(Promise.all(ids.map(ask)));
	return { ...reads, next: ids.find((id) => !settled.has(id)) };
}
