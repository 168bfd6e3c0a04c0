import { Duration } from 'luxon';

import { UserFacingError } from '../values/userFacingError';
import { type ApiRequest, type Attempts, subjectOf } from './apiRequest';

/** Why nothing is sent, and for how long, in milliseconds. */
export interface Wait {
	wait: number;
	/** How long nothing has got through before that. */
	before: number;
	/** The service asks to wait, nothing has got through for so long, or 'Requests per Minute'. */
	reason: 'service' | 'stalled' | 'credential';
}

/** What happens after a temporary failure in a poll. */
export const NEXT_POLL = 'The next check tries again.';

/** A time for people, rounded up, e.g. `1 minute and 30 seconds`. */
export function inWords(milliseconds: number): string {
	// A sum of times is off by a fraction of a millisecond, which must not add a second.
	const seconds = Math.ceil(Math.round(milliseconds) / 1000);
	return Duration.fromObject({ seconds }, { locale: 'en' })
		.rescale()
		.toHuman({ listStyle: 'long' });
}

/** Thrown where a request is withdrawn before it is sent. */
export class Withdrawn extends Error {}

/** A request that waits, and its longest wait in milliseconds. */
type WaitingRequest = Pick<ApiRequest, 'ids'> & { attempts: Attempts; maxWait: number };

/** Why requests wait, e.g. `the service says to retry in 1 hour`. */
export function whyWait({ wait, reason }: Wait): string {
	if (wait < 1) return 'other requests kept the service busy';
	if (reason === 'credential') {
		return "the 'Requests per Minute' limit in the credential has been reached";
	}
	const words =
		reason === 'stalled' ? 'no such request has succeeded for' : 'the service says to retry in';
	return `${words} ${inWords(wait)}`;
}

/** How long something says to wait. That nothing has got through for so long says nothing of the kind. */
function pauseOf({ wait, reason }: Wait): number {
	return reason === 'stalled' ? 0 : wait;
}

/** The error where a wait is longer than a request may wait. It quotes what that met last. */
export function waitError(wait: Wait, request: WaitingRequest, why = whyWait(wait)) {
	const { attempts, ids, maxWait } = request;
	const { lastFailure, waited } = attempts;
	const { httpCode, message, words } = lastFailure ?? {};
	const sent = lastFailure === undefined ? 'sent' : 'retried';
	const code = httpCode ? ` (${httpCode})` : '';
	// Without a response, the failure itself says why.
	const quoted = httpCode ? words : message;
	const quote = quoted ? `: ${quoted}` : '';
	const total = wait.before + waited + wait.wait;
	const sum = wait.wait > maxWait ? '' : `, which makes ${inWords(total)} in all`;
	return new UserFacingError(
		`The request for ${subjectOf(ids)} was not ${sent}, because ${why}${sum}${code}${quote}`,
		`Run the workflow again later, or raise 'Max Wait (Seconds)' in the options (currently ${maxWait / 1000}).`,
		{ kind: 'unsent', httpCode, words, pause: pauseOf(wait), isTemporary: true },
	);
}

/** The error where an execution, poll or list was stopped: what the request met last, or what it waited for. */
export function stoppedError(wait: Wait, { attempts, ids }: WaitingRequest, why: string) {
	if (attempts.lastFailure) return attempts.lastFailure.with({ kind: 'stopped' });
	const message = `Time ran out before ${subjectOf(ids)} was checked: ${why}`;
	const facts = { kind: 'stopped', pause: pauseOf(wait), isTemporary: true } as const;
	return new UserFacingError(message, NEXT_POLL, facts);
}
