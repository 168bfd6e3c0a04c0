/** Thrown where a request is not sent, or not waited for, because its run was stopped. */
export class RunStopped extends Error {
	/** @param mayBeDone whether it was sent, so that the service may have processed it */
	constructor(readonly mayBeDone = false) {
		super('The run was stopped');
	}
}
