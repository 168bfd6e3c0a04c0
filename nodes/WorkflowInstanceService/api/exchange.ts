import { UserFacingError } from '../values/userFacingError';
import type { ApiRequest, RequestLimits } from './apiRequest';
import type { Clock } from './clock';
import {
	doubted,
	mayBeDone,
	networkError,
	responseError,
	type Sender,
	type Sent,
	waitError,
} from './errors';
import type { Permit } from './pace/run';
import { RunStopped, WaitTooLong } from './pace/runStopped';
import type { ServiceResponse } from './response';
import { isLostConnection, type Result } from './retry';

const MOST_LOST = 1;
/** What was read longer ago may have been changed by others, in milliseconds. */
const FRESH_MS = 2_000;

export function isSuccess(result: Result): result is ServiceResponse {
	return 'status' in result && result.status < 300;
}

/** What a result that is no success means to the user. */
export function errorOf(result: Result, sent: Sent): UserFacingError {
	return 'status' in result ? responseError(result, sent) : networkError(result, sent);
}

/** What came of sending a request once. */
interface Attempted {
	request: ApiRequest;
	result: Result;
	/** Whether the service rejected it for now, and it may come again. */
	comesAgain: boolean;
}

/** Sends a request, once, with a permit. */
export type SendWith = (request: ApiRequest, permit: Permit) => Promise<Attempted>;

/** A request, or a read and what is written after it, over all its attempts. */
export class Exchange {
	/** What is sent next; a write, once it is known. */
	private request: ApiRequest;

	/** How often something was read to write after it. */
	private reads = 0;

	private readAt = 0;

	private lost = 0;

	private mayBeDoneBefore = false;

	private last: Attempted;

	/** @param write makes what is sent in the end of the response to the first request */
	constructor(
		private readonly first: ApiRequest,
		private readonly write: ((response: ServiceResponse) => ApiRequest) | undefined,
		private readonly limits: RequestLimits,
		private readonly sender: Sender & Pick<Sent, 'baseUrl'>,
		private readonly clock: Clock,
	) {
		this.request = first;
		this.last = { request: first, result: { networkCode: '', words: '' }, comesAgain: false };
	}

	/** How many requests it wants to send with one permit. */
	get places(): number {
		return this.write !== undefined && this.mustRead ? 2 : 1;
	}

	/**
	 * Sends what comes next, and gives the permit back.
	 *
	 * @returns whether it goes on
	 * @throws UserFacingError when what was read cannot be used
	 */
	async use(permit: Permit, send: SendWith): Promise<'end' | 'retry' | 'retryAfterLoss'> {
		try {
			const { write } = this;
			if (write !== undefined && this.mustRead) {
				this.last = await send(this.first, permit);
				const { result } = this.last;
				if (!isSuccess(result)) return this.next();
				this.reads++;
				this.request = this.requestFrom(write, result);
				this.readAt = this.clock.elapsed();
				if (permit.places < 2) return 'retry';
			}
			this.last = await send(this.request, permit);
			return this.next();
		} finally {
			permit.end();
		}
	}

	/**
	 * What came of the last attempt.
	 *
	 * @param isStopped whether the run was stopped: what was aborted then says nothing about the service
	 * @throws UserFacingError when it is no success
	 */
	conclude(isStopped: boolean): ServiceResponse {
		const { request, result } = this.last;
		if (isSuccess(result)) return result;
		if ('networkCode' in result && isStopped) throw new RunStopped(true);
		throw errorOf(result, this.sentAs(request));
	}

	/** What it means that no permit was given. */
	whyStopped(cause: unknown): unknown {
		if (cause instanceof WaitTooLong) {
			return waitError(cause.wait, this.sentAs(this.request));
		}
		const isDoubted = cause instanceof RunStopped && this.mayBeDoneBefore;
		return isDoubted ? new RunStopped(true) : cause;
	}

	/** What was read longer ago is read once more, but only once, so that an update ends under any limit. */
	private get mustRead(): boolean {
		const isStale = this.clock.elapsed() - this.readAt > FRESH_MS;
		return this.reads === 0 || (this.reads === 1 && isStale);
	}

	private next(): 'end' | 'retry' | 'retryAfterLoss' {
		const { request, result, comesAgain } = this.last;
		const isLost =
			isLostConnection(result) && ++this.lost <= Math.min(this.limits.maxRetries, MOST_LOST);
		if (!isLost && !comesAgain) return 'end';
		this.mayBeDoneBefore ||= request.method !== 'GET' && mayBeDone(result);
		return isLost ? 'retryAfterLoss' : 'retry';
	}

	private requestFrom(
		write: (response: ServiceResponse) => ApiRequest,
		response: ServiceResponse,
	): ApiRequest {
		try {
			return write(response);
		} catch (cause) {
			throw cause instanceof UserFacingError && this.mayBeDoneBefore ? doubted(cause) : cause;
		}
	}

	private sentAs(request: ApiRequest): Sent {
		const { sender, mayBeDoneBefore, limits, clock } = this;
		return { ...request, ...sender, mayBeDoneBefore, maxWait: limits.maxWait, now: clock.now() };
	}
}
