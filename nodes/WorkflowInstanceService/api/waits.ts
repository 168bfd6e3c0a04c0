import { Duration } from 'luxon';

import { UserFacingError } from '../values/userFacingError';
import { subjectOf } from './apiRequest';

/** Why nothing is sent, and for how long, in milliseconds. */
export interface Wait {
	wait: number;
	/** The service asks to wait, nothing has got through for so long, or 'Requests per Minute'. */
	reason: 'service' | 'node' | 'credential';
}

/** What happens after a temporary failure in a poll. */
export const NEXT_POLL = 'The next check tries again.';

/** A time for people, rounded up, e.g. `1 minute and 30 seconds`. */
export function inWords(milliseconds: number): string {
	// A sum of times is off by a fraction of a millisecond, which must not add a second.
	const seconds = Math.ceil(Math.round(milliseconds) / 1000);
	const duration = Duration.fromObject({ seconds }, { locale: 'en' });
	return duration.rescale().toHuman({ listStyle: 'long' });
}

/** Thrown where a request is not sent, or not waited for, because its run was stopped. */
export class RunStopped extends Error {
	constructor(
		readonly wait: Wait = { wait: 0, reason: 'node' },
		/** What it met last. */
		readonly lastFailure?: UserFacingError,
	) {
		super('The run was stopped');
	}
}

/** Thrown where a request is not sent, because its `shouldSend` said so. */
export class Withdrawn extends Error {}

/** Thrown where a request is not sent, because the wait is longer than it may wait. */
export class WaitTooLong extends Error {
	constructor(readonly wait: Wait) {
		super('The wait is too long');
	}
}

/** Why a request waits, e.g. `the service says to retry in 1 hour`. */
function whyWait({ wait, reason }: Wait): string {
	return {
		service: `the service says to retry in ${inWords(wait)}`,
		node: `no request has succeeded for ${inWords(wait)}`,
		credential: "the 'Requests per Minute' limit in the credential has been reached",
	}[reason];
}

/** The error where a wait is longer than `maxWait`, in milliseconds. It quotes what the request met last. */
export function waitError(
	wait: Wait,
	ids: readonly number[],
	maxWait: number,
	lastFailure?: UserFacingError,
): UserFacingError {
	const { httpCode, words } = lastFailure ?? {};
	const sent = lastFailure === undefined ? 'sent' : 'retried';
	const code = httpCode ? ` (${httpCode})` : '';
	const quote = words ? `: ${words}` : '';
	return new UserFacingError(
		`The request for ${subjectOf(ids)} was not ${sent}, because ${whyWait(wait)}${code}${quote}`,
		`Run the workflow again later, or raise 'Max Wait (Seconds)' in the options (currently ${inWords(maxWait)}).`,
		{ kind: 'unsent', httpCode, words, pause: wait.wait, isTemporary: true },
	);
}

/** Why instances were not read in time: what their request met last, or what it waited for. */
export function timeUpError(
	ids: readonly number[],
	{ lastFailure, wait }: RunStopped,
): UserFacingError {
	if (lastFailure) return lastFailure;
	const why =
		wait.wait > 0 ? whyWait(wait) : 'other executions in this n8n process kept the service busy';
	const message = `Time ran out before ${subjectOf(ids)} was checked: ${why}`;
	return new UserFacingError(message, NEXT_POLL, { pause: wait.wait, isTemporary: true });
}
