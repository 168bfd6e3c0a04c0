import type { ApiRequest, RequestLimits } from './apiRequest';
import type { Clock } from './clock';
import type { Sender } from './errors';
import { Exchange, type SendWith } from './exchange';
import type { joinPool } from './pace/sharedPools';
import type { ServiceResponse } from './response';
import { askedPause, isAskedToWait, type Result } from './retry';

/** Sends one request, once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** Before a request is sent again whose connection was lost, in milliseconds. */
const PAUSE_AFTER_LOSS_MS = 1_000;

/** The service as operations see it. */
export interface ApiClient {
	/** The base URL of the credential, without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * Sends a request at the pace of the service, as often as it may be repeated.
	 *
	 * @returns the response, whose status is 2xx
	 * @throws UserFacingError when the service refused or did not respond; RunStopped when the run was
	 *   stopped
	 */
	send(request: ApiRequest, limits: RequestLimits): Promise<ServiceResponse>;
	/**
	 * Sends a read, and at once what it is followed by. If that is held up for more than two seconds, it is
	 * read once more.
	 *
	 * @param write makes the second request of the response to the first; it may throw a UserFacingError
	 * @returns the response to the second request
	 * @throws like {@link send}
	 */
	readThenWrite(
		read: ApiRequest,
		write: (response: ServiceResponse) => ApiRequest,
		limits: RequestLimits,
	): Promise<ServiceResponse>;
	/** How long nobody may send anything, and why. */
	hold: ReturnType<typeof joinPool>['hold'];
}

/** @param sender what some advice depends on */
export function createApiClient(
	baseUrl: string,
	transport: Transport,
	run: ReturnType<typeof joinPool>,
	sender: Sender,
	clock: Clock,
): ApiClient {
	/** Sends a request with a permit, and tells the pool what came of it. */
	const attempt: SendWith = async (request, permit) => {
		request.onSend?.();
		const result = await transport(request);
		if (isAskedToWait(result)) {
			const comesAgain = permit.rejected(request.method, askedPause(result, clock.now()));
			return { request, result, comesAgain };
		}
		if ('status' in result) permit.passed(request.method);
		return { request, result, comesAgain: false };
	};

	const exchange = async (
		first: ApiRequest,
		limits: RequestLimits,
		write?: (response: ServiceResponse) => ApiRequest,
	): Promise<ServiceResponse> => {
		const key = first.method === 'POST' ? first : first.path;
		const paced = run.request(key, limits);
		const own = new Exchange(first, write, limits, { ...sender, baseUrl }, clock);
		const stopped = (cause: unknown) => {
			throw own.whyStopped(cause);
		};
		for (;;) {
			const permit = await run.acquire(paced, () => own.places).catch(stopped);
			const next = permit === undefined ? 'end' : await own.use(permit, attempt);
			if (next === 'retryAfterLoss') await clock.sleep(PAUSE_AFTER_LOSS_MS, run.signal);
			if (next === 'end') return own.conclude(run.signal.aborted);
		}
	};

	run.probeBy(async (path, permit) => {
		try {
			await attempt({ method: 'GET', path, subject: '' }, permit);
		} finally {
			permit.end();
		}
	});
	return {
		baseUrl,
		send: async (request, limits) => await exchange(request, limits),
		readThenWrite: async (read, write, limits) => await exchange(read, limits, write),
		hold: run.hold,
	};
}
