import type { Service } from '../../api/apiClient';
import type { ApiRequest } from '../../api/apiRequest';
import type { Clock } from '../../api/clock';
import type { ServiceResponse } from '../../api/response';
import { Withdrawn } from '../../api/waits';

/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

/**
 * Sends a read, and what `write` makes of its response, before all other requests. If a write is held up,
 * the instance is read once more, and only once, so that an update ends under any rate limit.
 */
export async function readThenWrite<T>(
	service: Pick<Service, 'send'>,
	clock: Pick<Clock, 'elapsed'>,
	read: ApiRequest,
	write: (response: ServiceResponse, send: Service['send']) => Promise<T>,
): Promise<T> {
	const sendBoth = async (isSecond: boolean): Promise<T> => {
		const response = await service.send({ ...read, isUrgent: isSecond });
		const readAt = clock.elapsed();
		const shouldSend = () => isSecond || clock.elapsed() - readAt <= FRESH_MS;
		return await write(response, async (request) => {
			return await service.send({ ...request, isUrgent: true, shouldSend });
		});
	};
	return await sendBoth(false).catch(async (cause: unknown) => {
		if (cause instanceof Withdrawn) return await sendBoth(true);
		throw cause;
	});
}
