import { RunStopped } from '../api/pace/runStopped';
import { type DatedInstance, readDatedInstance } from '../instance/readInstance';
import { toOutput } from '../instance/output';
import type { Service } from '../n8n/forEachItem';
import { settle } from '../n8n/outputItems';
import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';
import { EVENTS, type WatchedEvent } from './events';
import type { Settings } from './settings';

/** What a poll learned of the instances that it checked. */
export interface Reads {
	found: Map<number, DatedInstance>;
	/** Those that the service did not find, or rejected. */
	errors: Map<number, UserFacingError>;
	/** Those without a usable response when the time was up. */
	open: number[];
	/** Which of these were to be asked again; the others had not responded. */
	waiting: number[];
}

/** @throws UserFacingError when something that may be told cannot be told as it is */
function tellable(read: DatedInstance, { events, output }: Settings): DatedInstance {
	const watched = events.map((event): WatchedEvent => EVENTS[event]);
	const fields = watched.flatMap(({ field = [] }) => field);
	toOutput(read.instance, output);
	toOutput(read.instance, { fields, parseSnapshot: false });
	return read;
}

const UNAUTHORIZED = '401';

/**
 * Reads instances at the pace of the service, in their order, for as long as the poll may take. A
 * rejected key ends it, since it would be rejected for the others as well.
 *
 * @throws UserFacingError when there is no credential, or its base URL is unusable
 */
export async function readInstances(
	ids: number[],
	run: PollRun,
	settings: Settings,
): Promise<Reads> {
	const client = await run.connection.open();
	const found: Reads['found'] = new Map();
	const errors: Reads['errors'] = new Map();
	const waiting: number[] = [];
	const sent = new Set<number>();
	const check = async (id: number) => {
		const send: Service['send'] = async (request) =>
			await client.send({ ...request, onSend: () => void sent.add(id) }, settings.limits);
		const outcome = await settle(
			readDatedInstance({ send }, id).then((read) => tellable(read, settings)),
		);
		if (outcome instanceof RunStopped) {
			if (sent.has(id)) waiting.push(id);
			return;
		}
		if (!(outcome instanceof UserFacingError)) {
			found.set(id, outcome);
			return;
		}
		errors.set(id, outcome);
		if (outcome.httpCode === UNAUTHORIZED) run.connection.stop();
	};
	await run.inTime(Promise.all(ids.map(check)));
	const isOpen = (id: number) => !found.has(id) && !errors.has(id);
	return { found, errors, open: [...sent].filter(isOpen), waiting };
}
