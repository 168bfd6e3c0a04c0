import { type ApiRequest, Attempts, Withdrawn } from '../../api/apiRequest';
import { systemClock } from '../../api/clock';
import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';

/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

/**
 * Sends a read, then, before all other requests, what `write` makes of its response. After each attempt of the
 * write that failed by itself, the instance is read again, before others, too. If a rate limit holds up the write,
 * it's read once more, and only once, so that an update ends under any rate limit.
 */
export async function readThenWrite<T>(
	service: Pick<Service, 'send'>,
	read: ApiRequest,
	write: (response: ServiceResponse, send: Service['send']) => Promise<T>,
): Promise<T> {
	const attempts = new Attempts();
	let mayReadAgain = true;
	const sendBoth = async (isUrgent: boolean): Promise<T> => {
		const response = await service.send({ ...read, isUrgent });
		const readAt = systemClock.elapsed();
		const failureBefore = attempts.lastFailure;
		const isWithdrawn = () => {
			const { lastFailure } = attempts;
			const hasNewFailure = lastFailure !== undefined && lastFailure !== failureBefore;
			// Neither throttled nor rejected.
			const isByItself = lastFailure?.kind === 'other' || lastFailure?.httpCode === undefined;
			if (hasNewFailure && isByItself) return true;
			const isHeldUp = mayReadAgain && systemClock.elapsed() - readAt > FRESH_MS;
			if (isHeldUp) mayReadAgain = false;
			return isHeldUp;
		};
		const writing = write(response, async (request) => {
			return await service.send({ ...request, isUrgent: true, attempts, isWithdrawn });
		});
		return await writing.catch(async (cause: unknown) => {
			if (cause instanceof Withdrawn) return await sendBoth(true);
			throw cause;
		});
	};
	return await sendBoth(false);
}
