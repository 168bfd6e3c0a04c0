import { type ApiRequest, Attempts, Withdrawn } from '../../api/apiRequest';
import { systemClock } from '../../api/clock';
import type { ServiceResponse } from '../../api/response';
import type { Service } from '../../api/service';

/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

/**
 * Sends a read, then, before all other requests, what `write` makes of its response. After each attempt of the
 * write that found the service unavailable, the instance is read again, before others, too. If a rate limit holds up
 * the write, it's read once more, and only once, so that an update ends under any rate limit.
 */
export async function readThenWrite<T>(
	service: Pick<Service, 'send'>,
	read: ApiRequest,
	write: (response: ServiceResponse, send: Service['send']) => Promise<T>,
): Promise<T> {
	const attempts = new Attempts();
	let freshFor = FRESH_MS;
	const readAndWrite = async (isUrgent: boolean): Promise<T> => {
		const response = await service.send({ ...read, isUrgent });
		const readAt = systemClock.elapsed();
		const unavailableBefore = attempts.unavailable;
		const isWithdrawn = () => {
			if (attempts.unavailable > unavailableBefore) return true;
			if (systemClock.elapsed() - readAt <= freshFor) return false;
			freshFor = Infinity;
			return true;
		};
		const writing = write(response, async (request) => {
			return await service.send({ ...request, isUrgent: true, attempts, isWithdrawn });
		});
		return await writing.catch(async (cause: unknown) => {
			if (cause instanceof Withdrawn) return await readAndWrite(true);
			throw cause;
		});
	};
	return await readAndWrite(false);
}
