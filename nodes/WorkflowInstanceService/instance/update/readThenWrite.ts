import { type ApiRequest, Attempts, Withdrawn } from '../../api/apiRequest';
import { systemClock } from '../../api/clock';
import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';
import { asUserFacingError, beforeThat } from '../../values/userFacingError';

/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

/**
 * Sends a read, then what `write` makes of its response, ahead of all other requests. After each attempt of the write
 * that found the service unavailable, the instance is read again, also ahead of others. If a rate limit holds up the
 * write, it's read again only once, so that an update ends under any rate limit.
 */
export async function readThenWrite<T>(
	service: Service,
	read: ApiRequest,
	write: (response: ServiceResponse, send: Service['send']) => Promise<T>,
): Promise<T> {
	const attempts = new Attempts();
	let mayBeTooOld = true;
	for (let isUrgent = false; ; isUrgent = true) {
		const response = await service.send({ ...read, isUrgent }).catch((cause: unknown) => {
			const error = asUserFacingError(cause);
			throw error.with({ advice: error.advice + beforeThat(attempts.lastFailure) });
		});
		const readAt = systemClock.elapsed();
		const failuresBefore = attempts.failures;
		const hasFailed = () => attempts.failures > failuresBefore;
		const isTooOld = () => mayBeTooOld && systemClock.elapsed() - readAt > FRESH_MS;
		const isWithdrawn = () => hasFailed() || isTooOld();
		const send = async (request: ApiRequest) =>
			await service.send({ ...request, isUrgent: true, attempts, isWithdrawn });
		try {
			return await write(response, send);
		} catch (cause) {
			if (!(cause instanceof Withdrawn)) throw asUserFacingError(cause);
			// If nothing failed, the read was too old, which counts only once.
			mayBeTooOld &&= hasFailed();
		}
	}
}
