import type { UserFacingError } from '../values/userFacingError';
import type { ApiRequest, RequestLimits } from './apiRequest';
import { errorOf, explained, RunStopped, type Sender } from './errors';
import { failureOf } from './failureMessages';
import type { PermitPool } from './pace/permitPool';
import { COMPARED, PacedRequest, type Run } from './pace/request';
import { isSuccess, type Result, type ServiceResponse } from './response';
import { askedPause } from './retryAfter';

export type Transport = (request: ApiRequest) => Promise<Result>;

/** Makes the request that follows a read; it may throw a UserFacingError. */
type Write = (response: ServiceResponse) => ApiRequest;

const PAUSE_AFTER_LOSS_MS = 1_000;
/** What was read longer ago may have been changed by others. */
const FRESH_MS = 2_000;

export type ApiClient = ReturnType<typeof createApiClient>;

/** @param sender what some advice depends on */
export function createApiClient(
	baseUrl: string,
	transport: Transport,
	pool: PermitPool,
	run: Run,
	sender: Sender,
) {
	const { clock } = pool;
	const { signal } = run.closing;

	const attempt = async (request: ApiRequest, paced: PacedRequest) => {
		request.onSend?.();
		const result = await transport(request);
		if ('networkCode' in result) return { result, comesAgain: false };
		const pause = askedPause(result, clock.now());
		if (pause === undefined) pool.passed(paced, request.method);
		const comesAgain = pause !== undefined && pool.rejected(paced, request.method, pause);
		return { result, comesAgain };
	};

	/** Whether what is known to work still gets through, although another request is rejected. */
	const getsThrough = async (path: string, limits: RequestLimits): Promise<boolean> => {
		const paced = new PacedRequest(run, path, limits, () => 1);
		paced.isProbe = true;
		const request: ApiRequest = { method: 'GET', path, subject: '' };
		for (let read = 0; read < COMPARED; read++) {
			await pool.acquire(paced);
			const { result } = await attempt(request, paced).finally(() => pool.end(paced));
			if ('networkCode' in result || askedPause(result, clock.now()) !== undefined) return false;
		}
		return true;
	};

	/** Sends a request, or a read and what is written after it, over all attempts. */
	const exchange = async (
		first: ApiRequest,
		limits: RequestLimits,
		write?: Write,
	): Promise<ServiceResponse> => {
		const circumstances = { ...sender, baseUrl, maxWait: limits.maxWait };
		let request = first;
		let lastFailure: UserFacingError | undefined;
		let lossesLeft = Math.min(limits.maxRetries, 1);
		let mayBeDoneBefore = false;
		let reads = 0;
		let readAt = 0;

		/** What follows a read that is due. It is read at most twice, so that an update ends under any limit. */
		const writeAfterRead = () => {
			const isStale = clock.elapsed() - readAt > FRESH_MS;
			return reads === 0 || (reads === 1 && isStale) ? write : undefined;
		};
		const key = first.method === 'POST' ? first : first.path;
		const paced = new PacedRequest(run, key, limits, () => (writeAfterRead() ? 2 : 1));

		/** Returns the response, undefined when the request comes again, and throws when it doesn't. */
		const sendOnce = async (next: ApiRequest): Promise<ServiceResponse | undefined> => {
			const { result, comesAgain } = await attempt(next, paced);
			if (isSuccess(result)) return result;
			// What was aborted says nothing about the service.
			if ('networkCode' in result && signal.aborted) throw new RunStopped(true);
			lastFailure = errorOf(result, { ...next, ...circumstances });
			mayBeDoneBefore ||= lastFailure.mayBeDone;
			if (failureOf(result).isLostConnection && lossesLeft-- > 0) {
				paced.notBefore = clock.elapsed() + PAUSE_AFTER_LOSS_MS;
				return undefined;
			}
			if (comesAgain) return undefined;
			throw lastFailure;
		};

		const sendNext = async (granted: number): Promise<ServiceResponse | undefined> => {
			const writeNext = writeAfterRead();
			if (writeNext === undefined) return await sendOnce(request);
			const response = await sendOnce(first);
			if (response === undefined) return undefined;
			reads++;
			request = writeNext(response);
			readAt = clock.elapsed();
			if (granted < 2) return undefined;
			await pool.follow(paced);
			return await sendOnce(request);
		};

		/** Whether it was rejected too often while others get through, as a read shows if nothing else is left. */
		const isOutlier = async (): Promise<boolean> => {
			const path = pool.outliers.pathToCompare(paced);
			return path !== undefined && (await getsThrough(path, limits)) && pool.countRejection(paced);
		};

		try {
			for (;;) {
				const granted = await pool.acquire(paced);
				if (granted === 0) throw lastFailure;
				const response = await sendNext(granted).finally(() => pool.end(paced));
				if (response !== undefined) return response;
				if (await isOutlier()) throw lastFailure;
			}
		} catch (cause) {
			throw explained(cause, { ...first, ...circumstances }, mayBeDoneBefore, lastFailure);
		}
	};

	return {
		/** The base URL of the credential, without a trailing slash. */
		baseUrl,
		hold: () => pool.hold,
		/** What operations send, within limits of theirs. All throw UserFacingError or RunStopped. */
		within: (limits: RequestLimits) => ({
			baseUrl,
			/** Sends a request at the pace of the service, and returns the response, whose status is 2xx. */
			send: async (request: ApiRequest) => await exchange(request, limits),
			/** Sends a read, and at once what follows it; if that is held up, it is read once more. */
			readThenWrite: async (read: ApiRequest, write: Write) => await exchange(read, limits, write),
		}),
	};
}
