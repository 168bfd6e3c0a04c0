import type { IDataObject } from 'n8n-workflow';

import { UserFacingError } from '../values/userFacingError';
import type { ApiRequest, Renewal } from './apiRequest';
import type { Clock } from './clock';
import { type ApiMethod, doubted, mayBeDone } from './errors';
import type { LineBounds } from './pace/line';
import { isLostConnection, type Result } from './retry';
import type { ServiceResponse } from './response';

const MOST_LOST = 1;

/** What has become of a request over its tries. */
export class Tries {
	/** Whether the service may have processed an earlier attempt. */
	mayBeDone = false;

	private lost = 0;

	/** Whether the request was pushed back since its body was read. */
	private wasPushedBack = false;

	/** Whether its body was read for the last try alone. */
	private wasRenewed = false;

	private heldUpSince: number | undefined;

	private body: IDataObject | undefined;

	/** When the body was read, in milliseconds since 1970. */
	private readAt: number;

	constructor(
		private readonly request: ApiRequest,
		private readonly bounds: LineBounds,
		private readonly clock: Clock,
	) {
		this.body = request.body;
		this.readAt = request.renewal?.readAt ?? -Infinity;
	}

	/** Whether the next try has to come before what it depends on changes. */
	get comesFirst(): boolean {
		return this.isFresh;
	}

	/** What is sent next: the request, or what reads its body again. */
	next(): { sent: ApiRequest; renewal?: Renewal } {
		const { request, body, wasPushedBack, wasRenewed } = this;
		// Reading again for each try would use up what a slow service lets through.
		const isUsable = this.isFresh && (!wasPushedBack || wasRenewed);
		const { renewal } = request;
		if (renewal === undefined || isUsable) return { sent: { ...request, body } };
		return { sent: renewal.request, renewal };
	}

	/** @throws UserFacingError when what was read cannot be used */
	renew({ bodyOf }: Renewal, response: ServiceResponse): void {
		try {
			this.body = bodyOf(response);
		} catch (cause) {
			throw cause instanceof UserFacingError && this.mayBeDone ? doubted(cause) : cause;
		}
		this.readAt = response.receivedAt;
		this.wasPushedBack = false;
		this.wasRenewed = true;
	}

	/**
	 * Takes note of what came of a try.
	 *
	 * @param method of what was sent
	 * @param comesAgain whether it was pushed back, and has waited
	 * @returns whether there is another try
	 */
	goesOn(method: ApiMethod, result: Result, comesAgain: boolean): boolean {
		const isLost = isLostConnection(result);
		if (isLost) this.lost++;
		const isRepeated = isLost && this.lost <= Math.min(this.bounds.maxRetries, MOST_LOST);
		if (!isRepeated && !(comesAgain && this.hasTime)) return false;
		this.wasRenewed = this.wasRenewed && !this.wasPushedBack;
		this.wasPushedBack = true;
		this.mayBeDone ||= method !== 'GET' && mayBeDone(result);
		return true;
	}

	private get isFresh(): boolean {
		return this.clock.now() - this.readAt <= (this.request.renewal?.freshFor ?? 0);
	}

	/** Reads that get through do not make a request wait forever that never does. */
	private get hasTime(): boolean {
		const now = this.clock.now();
		this.heldUpSince ??= now;
		return this.request.renewal === undefined || now - this.heldUpSince <= this.bounds.maxWait;
	}
}
