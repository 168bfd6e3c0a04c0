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

/** Thrown where a request is not sent, because its `shouldSend` said so. */
export class Withdrawn extends Error {}

/** A request that waits, and what it met last. */
interface WaitingRequest {
	ids: readonly number[];
	/** In milliseconds. */
	maxWait: number;
	lastFailure?: UserFacingError;
}

/** Why a request waits, e.g. `the service says to retry in 1 hour`. */
function whyWait({ wait, reason }: Wait): string {
	if (reason === 'credential') {
		return "the 'Requests per Minute' limit in the credential has been reached";
	}
	const words = reason === 'node' ? 'no request has succeeded for' : 'the service says to retry in';
	return `${words} ${inWords(wait)}`;
}

/** The error where a wait is longer than a request may wait. It quotes what that met last. */
export function waitError(wait: Wait, { ids, maxWait, lastFailure }: WaitingRequest) {
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

/** The error where a run, poll or list was stopped: what the request met last, or what it waited for. */
export function stoppedError(wait: Wait, { ids, lastFailure }: WaitingRequest) {
	if (lastFailure) return lastFailure.with({ kind: 'stopped' });
	const why =
		wait.wait > 0 ? whyWait(wait) : 'other executions in this n8n process kept the service busy';
	const message = `Time ran out before ${subjectOf(ids)} was checked: ${why}`;
	const facts = { kind: 'stopped', pause: wait.wait, isTemporary: true } as const;
	return new UserFacingError(message, NEXT_POLL, facts);
}
