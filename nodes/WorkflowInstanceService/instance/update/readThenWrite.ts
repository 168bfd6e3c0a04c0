import type { Service } from '../../api/apiClient';
import type { ApiRequest } from '../../api/apiRequest';
import type { Clock } from '../../api/clock';
import { doubted } from '../../api/errors';
import type { ServiceResponse } from '../../api/response';
import { inDoubt, Withdrawn } from '../../api/waits';
import { UserFacingError } from '../../values/userFacingError';

/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

/**
 * Sends a read and, before all other requests, the write made from its response. Returns the response to
 * the write. If that is held up, the instance is read once more, and only once, so that an update ends
 * under any rate limit.
 */
export async function readThenWrite(
	service: Pick<Service, 'send'>,
	clock: Pick<Clock, 'elapsed'>,
	read: ApiRequest,
	makeWrite: (response: ServiceResponse) => ApiRequest,
): Promise<ServiceResponse> {
	const sendBoth = async (isSecond: boolean): Promise<ServiceResponse> => {
		const response = await service.send({ ...read, isUrgent: isSecond });
		const readAt = clock.elapsed();
		const onSend = () => isSecond || clock.elapsed() - readAt <= FRESH_MS;
		return await service.send({ ...makeWrite(response), isUrgent: true, onSend });
	};
	return await sendBoth(false).catch(async (cause: unknown) => {
		if (!(cause instanceof Withdrawn)) throw cause;
		return await sendBoth(true).catch((second: unknown) => {
			if (!cause.mayBeDone) throw second;
			// The advice of what was thrown outside of the client says nothing of the doubt yet.
			throw second instanceof UserFacingError ? doubted(second) : inDoubt(second);
		});
	});
}
