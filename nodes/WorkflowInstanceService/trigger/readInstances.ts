import { RunStopped } from '../api/pace/runStopped';
import { systemClock } from '../api/clock';
import { readInstance } from '../instance/readInstance';
import { settle } from '../n8n/outputItems';
import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';
import type { Observation } from './events';
import type { Settings } from './settings';
import type { Asked } from './turns';

/** What came of reading instances. One that is in neither map got no response in time, or wasn't sent. */
export interface Reads extends Asked {
	found: ReadonlyMap<number, Observation>;
	/** Those that the service didn't find, rejected or can't return. */
	errors: ReadonlyMap<number, UserFacingError>;
}

const UNAUTHORIZED = '401';
/** No response, or that the service has too much to do. */
const NO_ANSWER: ReadonlyArray<string | undefined> = [undefined, '429', '503'];

/**
 * Reads instances in their order, for as long as the poll may take. A rejected key ends it, since it
 * would be rejected for the others as well.
 *
 * @throws UserFacingError when the credential can't be used
 */
export async function readInstances(
	ids: readonly number[],
	run: PollRun,
	{ limits }: Pick<Settings, 'limits'>,
): Promise<Reads> {
	const service = await run.connection.open(limits);
	const found = new Map<number, Observation>();
	const errors = new Map<number, UserFacingError>();
	const sent = new Set<number>();
	const read = async (id: number) => {
		const onSend = () => void sent.add(id);
		const outcome = await settle(
			readInstance({ send: async (request) => await service.send({ ...request, onSend }) }, id),
		);
		if (outcome instanceof RunStopped) return;
		if (outcome instanceof UserFacingError) {
			errors.set(id, outcome);
			if (outcome.httpCode === UNAUTHORIZED) run.connection.stop();
			return;
		}
		const { instance, serviceTime } = outcome;
		found.set(id, { instance, at: serviceTime ?? systemClock.now() });
	};
	await run.inTime(Promise.all(ids.map(read)));
	const isAnswered = (id: number) => found.has(id) || !NO_ANSWER.includes(errors.get(id)?.httpCode);
	return { found, errors, sent: [...sent], isAnswered };
}
