import type { Wait } from '../errors';

/** Thrown where a request is not sent, or not waited for, because its run was stopped. */
export class RunStopped extends Error {
	/** @param mayBeDone whether it was sent, so that the service may have processed it */
	constructor(readonly mayBeDone = false) {
		super('The run was stopped');
	}
}

/** Thrown where a request is not sent, because the wait is longer than the run may wait. */
export class WaitTooLong extends Error {
	constructor(readonly wait: Wait) {
		super('The wait is too long');
	}
}
