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
	/** What is sent in the end, once it is known. */
	private request: ApiRequest | undefined;

	/** Whether nothing has to be read any more, however old it is: that was done twice, or never needed. */
	private isReadAgain: boolean;

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
		this.isReadAgain = write === undefined;
		this.request = write === undefined ? first : undefined;
		this.last = { request: first, result: { networkCode: '', words: '' }, comesAgain: false };
	}

	/** How many requests it wants to send with one permit. */
	get places(): number {
		return this.isReadAgain ? 1 : 2;
	}

	/**
	 * Sends what comes next, and gives the permit back.
	 *
	 * @returns whether it goes on
	 * @throws UserFacingError when what was read cannot be used
	 */
	async use(permit: Permit, send: SendWith): Promise<'end' | 'retry' | 'retryAfterLoss'> {
		try {
			if (this.mustRead) {
				this.last = await send(this.first, permit);
				const { result } = this.last;
				if (!isSuccess(result)) return this.next();
				this.isReadAgain = this.request !== undefined;
				this.request = this.requestFrom(result);
				this.readAt = this.clock.elapsed();
				if (permit.places < 2) return 'retry';
			}
			this.last = await send(this.request ?? this.first, permit);
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
			return waitError(cause.wait, this.sentAs(this.request ?? this.first));
		}
		return cause instanceof RunStopped ? new RunStopped(this.mayBeDoneBefore) : cause;
	}

	private get mustRead(): boolean {
		if (this.request === undefined) return true;
		return !this.isReadAgain && this.clock.elapsed() - this.readAt > FRESH_MS;
	}

	private next(): 'end' | 'retry' | 'retryAfterLoss' {
		const { request, result, comesAgain } = this.last;
		const isLost =
			isLostConnection(result) && ++this.lost <= Math.min(this.limits.maxRetries, MOST_LOST);
		if (!isLost && !comesAgain) return 'end';
		this.mayBeDoneBefore ||= request.method !== 'GET' && mayBeDone(result);
		return isLost ? 'retryAfterLoss' : 'retry';
	}

	private requestFrom(response: ServiceResponse): ApiRequest | undefined {
		try {
			return this.write?.(response);
		} catch (cause) {
			throw cause instanceof UserFacingError && this.mayBeDoneBefore ? doubted(cause) : cause;
		}
	}

	private sentAs(request: ApiRequest): Sent {
		const { sender, mayBeDoneBefore, limits, clock } = this;
		return { ...request, ...sender, mayBeDoneBefore, maxWait: limits.maxWait, now: clock.now() };
	}
}
