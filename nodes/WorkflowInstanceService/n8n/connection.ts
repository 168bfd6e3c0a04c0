import {
	type ApiClient,
	createApiClient,
	errorOf,
	isSuccess,
	type Transport,
} from '../api/apiClient';
import type { Clock } from '../api/clock';
import type { Line } from '../api/pace/line';
import { joinLimiter } from '../api/pace/sharedLimiters';
import {
	assertKeyStaysHidden,
	bareKey,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { heldError, type Sender } from '../api/errors';
import { createRedact, type Redact } from '../api/redactor';
import type { Result } from '../api/retry';
import { RunStopped } from '../api/pace/runStopped';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import type { RequestOptions } from './requestOptions';
import { createTransport, CREDENTIAL, type NodeContext } from './transport';

const NO_RESPONSE_YET: Result = { networkCode: 'ETIMEDOUT', words: '' };

/** How a connection is opened. */
export interface ConnectionSettings {
	clock: Clock;
	sender: Sender;
	/** Read when it is opened. */
	http(): RequestOptions['http'];
}

/** The connection of one run, or poll, to the service: credential, place at the limiter, client. */
export class Connection {
	/** Hides the API key, as soon as the credential was read. */
	redact: Redact = createRedact('');

	private client: Promise<ApiClient> | undefined;

	private line: Line | undefined;

	private isStopped = false;

	/** What last came of a request instead of success; undefined when none was sent. */
	private lastResult: Result | undefined;

	constructor(
		private readonly context: NodeContext,
		private readonly settings: ConnectionSettings,
	) {}

	/**
	 * The client for the credential of the node.
	 *
	 * @throws UserFacingError when there is no credential, or its base URL is unusable
	 */
	async open(): Promise<ApiClient> {
		return await (this.client ??= this.createClient());
	}

	/** Keeps back every request that was not sent yet. */
	stop(): void {
		this.isStopped = true;
		this.line?.close();
	}

	/** @throws RunStopped when it was stopped */
	assertGoing(): void {
		if (this.isStopped) throw new RunStopped();
	}

	/**
	 * Waits without being in the line.
	 *
	 * @throws RunStopped when it was stopped
	 */
	async rest(milliseconds: number): Promise<void> {
		await this.line?.rest(milliseconds);
	}

	/**
	 * What to tell when there was no time to wait for success: what last came instead.
	 *
	 * @param subject what was asked for, e.g. `instance 42`
	 */
	async lastError(subject: string): Promise<UserFacingError> {
		const { baseUrl, hold } = await this.open();
		const { lastResult } = this;
		const { clock, sender } = this.settings;
		if (lastResult === undefined) return heldError(subject, hold(), sender.tryAgain);
		const sent = { subject, baseUrl, mayBeDoneBefore: false, now: clock.now(), maxWait: Infinity };
		return errorOf(lastResult, { method: 'GET', ...sent, ...sender });
	}

	/** Frees what is shared with others, and keeps back every request that was not sent yet. */
	leave(): void {
		this.stop();
		this.line?.leave();
	}

	/** Writes a line to n8n's log. */
	log(level: 'error' | 'warn', message: string): void {
		const { name } = this.context.getNode();
		const { id } = this.context.getWorkflow();
		const executionId = this.context.getExecutionId();
		this.context.logger[level](this.redact(message), {
			node: name,
			workflowId: id,
			executionId,
		});
	}

	private async createClient(): Promise<ApiClient> {
		const { context, settings } = this;
		const http = settings.http();
		const credentials = await context.getCredentials(CREDENTIAL).catch((cause: unknown) => {
			throw new UserFacingError(
				`n8n could not read the credential of this node: ${wordsOf(cause)}`,
				"In this node, choose or create a 'Workflow Instance Service API' credential.",
			);
		});
		const apiKey = bareKey(credentials.apiKey);
		this.redact = createRedact(apiKey);
		const baseUrl = normalizeBaseUrl(credentials.baseUrl);
		assertKeyStaysHidden(credentials, http);
		this.assertGoing();
		const perMinute = requestsPerMinute(credentials.requestsPerMinute);
		this.line = joinLimiter(baseUrl, apiKey, settings.clock, perMinute);
		const transport = createTransport(
			context,
			baseUrl,
			credentials,
			http,
			this.redact,
			settings.clock,
		);
		const observed: Transport = async (request) => {
			this.lastResult ??= NO_RESPONSE_YET;
			const result = await transport(request);
			if (!isSuccess(result)) this.lastResult = result;
			return result;
		};
		return createApiClient(baseUrl, observed, this.line, settings.sender, settings.clock);
	}
}
